"""One benchmark per file, each with NAME, TITLE and `run(bench)`."""
