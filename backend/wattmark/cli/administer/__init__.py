"""Commands about people and the machine."""
