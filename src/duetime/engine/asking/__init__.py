"""What people request: to see jobs, change them, redrive dead letters, manage users."""
