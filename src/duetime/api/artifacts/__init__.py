"""Calls about artifacts."""
