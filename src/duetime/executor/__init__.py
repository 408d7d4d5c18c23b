"""Carries out launched runs."""
