"""Commands about schedules, calendars, crontabs and cron expressions."""
