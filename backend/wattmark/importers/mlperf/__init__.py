"""MLPerf Power results become runs."""
