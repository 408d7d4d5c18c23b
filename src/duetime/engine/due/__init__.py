"""From stored to picked: what is due, in which order it goes, and what holds it back."""
