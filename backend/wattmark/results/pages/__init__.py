"""Results as they are listed and shown: rows, pages, the run page."""
