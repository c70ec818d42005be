"""Many results: configurations side by side, memory, scaling, factors, published figures."""
