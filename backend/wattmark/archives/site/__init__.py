"""A static web site of chosen results."""
