"""Publishing: ends of jobs and dead letters go out to Kafka topics, each at least once."""
