"""The truth: PostgreSQL, behind a port."""
