"""Commands about jobs, dead letters and lanes."""
