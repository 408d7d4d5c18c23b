"""The whole cluster on virtual time: real engines over a store, a bus and a coordinator in memory."""
