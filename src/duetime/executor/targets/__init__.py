"""How the kinds of target are carried out: one runner a kind."""
