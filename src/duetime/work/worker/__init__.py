"""A worker: takes runs from the server, lets runners carry them out, and settles them."""
