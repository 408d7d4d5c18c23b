"""The kinds of target, one a file."""
