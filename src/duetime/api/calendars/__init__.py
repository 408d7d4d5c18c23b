"""Calendars over HTTP: named dates that schedules share."""
