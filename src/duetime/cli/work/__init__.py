"""Commands that run beside a program's own code: its workers, and the relay of its outbox."""
