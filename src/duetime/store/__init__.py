"""The store of record: PostgreSQL, behind one port for each duty."""
