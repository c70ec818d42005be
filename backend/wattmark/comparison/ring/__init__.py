"""Ring comparison: one server model, measured by several laboratories."""
