"""Live readings spoken to others in the protocols that drivers read."""
