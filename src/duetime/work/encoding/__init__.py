"""Arguments and results of functions as JSON, checked against the function's own types."""
