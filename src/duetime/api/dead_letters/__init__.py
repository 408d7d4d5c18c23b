"""Dead letters over HTTP: jobs that failed for good."""
