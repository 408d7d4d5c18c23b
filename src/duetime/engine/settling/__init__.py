"""From an outcome to what the store records: another attempt, or the job's end."""
