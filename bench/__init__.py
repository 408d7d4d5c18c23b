"""Duetime beside its peers: what `duetime bench` measures, and the same work done by others."""
