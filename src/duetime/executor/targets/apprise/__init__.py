"""Messages through Apprise, in a process of its own."""
