"""The HTTP of comparisons: what an appliance alone serves, and what a fleet serves too."""
