"""The tables of runs, of their sources of power, and of certificates; marks and methods of all tables."""
