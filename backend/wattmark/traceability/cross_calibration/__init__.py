"""Cross-calibrations of BMCs by a wall meter."""
