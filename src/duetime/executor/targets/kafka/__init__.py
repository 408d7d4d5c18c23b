"""The runs of `kafka` targets."""
