"""Forms to connect a meter, derived from what its model declares."""
