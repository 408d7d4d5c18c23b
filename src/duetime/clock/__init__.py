"""The one clock: all code reads the time and waits through `port.Clock`."""
