"""Measuring Duetime on the machine at hand: what `duetime bench` does."""
