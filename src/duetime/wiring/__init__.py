"""The composition root: the only package that knows every adapter."""

from duetime.wiring.demo import clear_demo, make_demo
from duetime.wiring.doctor import doctor
from duetime.wiring.serve import migrate_databases, run_configured, serve_node
from duetime.wiring.shards import move_shards, shards_by_database

__all__ = [
    "clear_demo",
    "doctor",
    "make_demo",
    "migrate_databases",
    "move_shards",
    "run_configured",
    "serve_node",
    "shards_by_database",
]
