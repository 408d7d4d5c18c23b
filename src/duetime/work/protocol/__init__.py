"""The worker protocol: what is sent, the calls, and the beat."""
