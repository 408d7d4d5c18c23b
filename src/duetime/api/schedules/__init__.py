"""Schedules over HTTP: what clients send, what they see, and the calls."""
