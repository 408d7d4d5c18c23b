"""Commands that start a node or prepare its database."""
