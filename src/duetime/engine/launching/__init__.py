"""From picked to started: commit the launch, read what to run, hand it to an executor."""
