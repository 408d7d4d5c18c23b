"""The fault suite: real nodes, a nemesis, a sink outside of the system, and a checker of the history."""
