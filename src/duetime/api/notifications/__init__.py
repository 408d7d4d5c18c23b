"""Calls about notifications."""
