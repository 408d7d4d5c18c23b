"""What people ask and order: look at jobs, change them, redrive dead letters, manage users."""
