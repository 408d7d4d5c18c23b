"""The test harness: a real server, real nodes, and a sink outside of the system."""
