"""What every adapter on PostgreSQL shares: connections, a pool of them, errors translated, and statements by name."""
