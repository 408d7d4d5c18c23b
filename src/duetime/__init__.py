"""Duetime: hand it a job and an instant, and it launches the job then, once, with everything on record."""

__version__ = "0.1.0"
