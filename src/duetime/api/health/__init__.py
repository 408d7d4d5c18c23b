"""The health of a node over HTTP, for load balancers and people on call."""
