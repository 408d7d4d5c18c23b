"""Workflows: jobs that wait for other jobs. The store releases them; here they are accepted, shown, ended and fed."""
