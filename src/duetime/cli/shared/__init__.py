"""What several commands use: session, options, output, exit codes."""
