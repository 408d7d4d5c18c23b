"""What happens to jobs, added up by minute and hour, and what comes next: for people who look."""
