"""The command that starts worker processes: `duetime work module:app`."""
