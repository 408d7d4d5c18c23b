"""The formats of files: each reads records one after the other, in little memory."""
