"""Traces: where a job came from, and what its runs did."""
