"""Who calls: tokens, passwords, sign-up and how often a client may call."""
