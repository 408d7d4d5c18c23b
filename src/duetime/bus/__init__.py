"""How a launched run reaches an executor."""
