"""Metrics: one catalogue, plain numbers that the stages count per batch, and the text that Prometheus reads.

`counts` is what the stages of a process write, `catalogue` names and explains every metric, and `exposition` turns both
into text at each scrape. Only `exposition` knows the library that writes the text.
"""
