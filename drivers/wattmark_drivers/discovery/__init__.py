"""Find the devices that answer at given places."""
