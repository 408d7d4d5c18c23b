"""Several databases: each is a cell with a whole engine of its own. This package routes what looks across cells."""
