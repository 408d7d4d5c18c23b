"""The protocol by which workers pull runs."""
