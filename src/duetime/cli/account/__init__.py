"""Commands about your own account: log in and out, change the password."""
