"""Pure functions on arrays: windows, energy, steady state, efficiency, comparison, memory."""
