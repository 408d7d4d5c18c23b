"""Measures Duetime as `duetime bench` does, and its peers at the same work."""
