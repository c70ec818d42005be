"""The HTTP of meters, meter models and check standards."""
