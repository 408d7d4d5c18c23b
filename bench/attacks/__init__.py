"""Attacks on a running Duetime, and what they cost another user's timers."""
