"""What a connection may cost before its request is read: bounds, deadlines, and where a request comes from."""
