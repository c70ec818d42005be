"""Servers of device protocols: fed with what a device shows, each speaks as the real one does."""
