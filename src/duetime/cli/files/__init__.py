"""Commands about files whose records become jobs and schedules."""
