"""What a plan comes to, computed from stored facts alone: its runs, their order and time, which are needless."""
