"""From a picked job to a started run: commit the launch, read what to run, hand the run to an executor."""
