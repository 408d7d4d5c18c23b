"""Where the contents of artifacts are kept: a directory, or an object store."""
