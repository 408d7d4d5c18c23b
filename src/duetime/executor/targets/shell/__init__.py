"""The runs of `shell` targets: programs, each below a keeper that ends it with everything it has started."""
