"""What stands between the parts of a name."""

DOT = " · "
