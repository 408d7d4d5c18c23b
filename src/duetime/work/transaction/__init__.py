"""Enqueueing in the caller's own transaction, and the relay that brings an outbox to the server."""
