"""Check standards: a stable load that is measured every week, to see drift between calibrations."""
