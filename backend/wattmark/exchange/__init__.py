"""What comes from others and goes to others."""
