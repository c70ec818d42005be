"""The series of one meter in several file formats."""
