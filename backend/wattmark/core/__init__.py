"""Shared by all rooms, owned by no subject: errors, base models, numbers, files written whole."""
