"""Calls about what runs logged."""
