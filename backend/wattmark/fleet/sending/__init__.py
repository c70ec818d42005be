"""What all servers that samples are sent to have in common."""
