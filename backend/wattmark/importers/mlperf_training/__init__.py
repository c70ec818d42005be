"""Results of MLPerf Training with power logs."""
