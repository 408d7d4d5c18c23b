"""What happened and what is planned, over HTTP: overview, planned runs, calendar, shares."""
