"""A realistic week on a running server, for people who look at Duetime for the first time (`duetime demo`)."""
