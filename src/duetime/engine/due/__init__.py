"""From stored to picked: which jobs are due, in which order they launch, and what holds them back."""
