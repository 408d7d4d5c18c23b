"""Putting it all together: the only place that knows every adapter."""

from duetime.wiring.doctor import doctor
from duetime.wiring.serve import migrate_databases, run_configured, serve_node
from duetime.wiring.shards import move_shards, shard_places

__all__ = ["doctor", "migrate_databases", "move_shards", "run_configured", "serve_node", "shard_places"]
