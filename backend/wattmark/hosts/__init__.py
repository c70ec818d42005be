"""Other machines: reach them over SSH, start programs there, read their files and their clocks."""
