"""Calls about the audit."""
