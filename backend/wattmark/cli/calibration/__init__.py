"""Commands about certificates and check standards."""
