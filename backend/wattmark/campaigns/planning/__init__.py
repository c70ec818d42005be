"""Evaluation of a plan from stored facts alone: its runs, their order and time, which are needless."""
