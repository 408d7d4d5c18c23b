"""Lanes and circuit breakers over HTTP."""
