"""Ways in besides the API: topics and files whose records are jobs. Each ends in `engine.intake.submit`."""
