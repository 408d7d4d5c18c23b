"""One benchmark a file: each has NAME, TITLE and `run(bench)`."""
