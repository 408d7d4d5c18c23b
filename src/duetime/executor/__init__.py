"""Carrying out launched runs."""
