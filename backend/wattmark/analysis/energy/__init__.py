"""Energy and mean power of one window, by kind of meter, with their uncertainty."""
