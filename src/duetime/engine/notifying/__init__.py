"""Notifications: rules are judged from the ends in the outbox, and messages are sent as jobs of a user of their own."""
