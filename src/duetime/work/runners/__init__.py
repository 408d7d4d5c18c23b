"""Where functions run: in the event loop, in threads, or in processes that can be killed."""
