"""The one clock: everything that asks for the time or waits for it does so through `port.Clock`."""
