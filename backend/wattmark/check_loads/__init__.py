"""Check loads: a stable load read every week, so that drift is seen between calibrations."""
