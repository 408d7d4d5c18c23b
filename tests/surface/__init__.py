"""What people see: pages, words and names."""
