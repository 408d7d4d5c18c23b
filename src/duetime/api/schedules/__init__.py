"""Schedules and calendars over HTTP."""
