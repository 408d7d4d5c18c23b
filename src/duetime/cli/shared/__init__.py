"""What several commands use: the session with the server, options, output, exit codes."""
