"""One configuration against its load levels."""
