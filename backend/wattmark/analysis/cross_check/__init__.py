"""Sources of power beside the wall meter: aligned, averaged over the same stretches, fitted and judged."""
