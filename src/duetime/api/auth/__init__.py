"""Who calls: tokens, passwords, logging in, and how often a client may call."""
