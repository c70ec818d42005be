"""A stable load watched between calibrations."""
