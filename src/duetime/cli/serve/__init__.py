"""Commands that start a node, or check and prepare its databases."""
