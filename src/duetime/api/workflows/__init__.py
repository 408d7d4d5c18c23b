"""Calls about workflows."""
