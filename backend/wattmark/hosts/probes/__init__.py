"""A machine under Linux as a meter."""
