"""Is the bench still itself: control charts of its reference workloads, and the campaigns of last night."""
