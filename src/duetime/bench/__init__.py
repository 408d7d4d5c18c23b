"""The benchmarks of `duetime bench`, which measure Duetime on this machine."""
