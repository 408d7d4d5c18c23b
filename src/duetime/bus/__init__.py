"""How a launched run reaches an executor, and how the scheduler learns that it ended."""
