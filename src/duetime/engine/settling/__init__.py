"""From an outcome to the record: success, another attempt, or an end."""
