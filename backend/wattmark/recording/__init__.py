"""From samplers to the store and the live view."""
