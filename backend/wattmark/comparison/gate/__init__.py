"""A gate for builds: is the candidate worse than the baseline by more than matters, is it not, or is it not known."""
