"""One file of routes per room."""
