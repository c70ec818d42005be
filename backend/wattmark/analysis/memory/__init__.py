"""Power per memory module."""
