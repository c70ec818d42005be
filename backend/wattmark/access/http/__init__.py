"""Who asks, and whether he may: in front of every route."""
