"""Putting it all together: the only place that knows every adapter."""

from duetime.wiring.doctor import doctor
from duetime.wiring.serve import migrate, serve, serve_node

__all__ = ["doctor", "migrate", "serve", "serve_node"]
