"""Commands about schedules, calendars and crontabs."""
