"""Code shared by all servers that samples are sent to."""
