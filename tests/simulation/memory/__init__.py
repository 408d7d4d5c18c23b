"""A store and a coordinator in memory, with the semantics that matter and a switch for each safeguard."""
