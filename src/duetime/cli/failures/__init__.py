"""Commands about what failures leave behind: dead letters, blocked lanes, open circuit breakers."""
