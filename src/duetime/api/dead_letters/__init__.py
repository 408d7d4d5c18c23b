"""Dead letters over HTTP."""
