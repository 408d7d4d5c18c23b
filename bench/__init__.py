"""Benchmarks that anyone can rerun: `python -m bench`."""
