"""From plan to runs: order, phases, full load, progress."""
