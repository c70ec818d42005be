"""Start loads on another machine over SSH."""
