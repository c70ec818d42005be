"""Power per part of one kind, such as a memory module."""
