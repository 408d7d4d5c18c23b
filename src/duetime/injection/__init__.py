"""Ways in besides the API: topics whose records are jobs. Each ends in `engine.intake.submit`."""
