"""Kafka: the clients that the target, the injection and the commands share. Needs the extra `duetime[kafka]`."""
