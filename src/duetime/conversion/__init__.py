"""Converters: what other schedulers keep their jobs in, as records of Duetime. Pure, except for what is read."""
