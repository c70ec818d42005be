"""Commands that print results."""
