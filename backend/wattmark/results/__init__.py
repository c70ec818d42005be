"""Join a run's record with its samples and hand both to the analysis."""
