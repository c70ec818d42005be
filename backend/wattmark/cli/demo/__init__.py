"""The demo: a simulated lab around the real load of this machine."""
