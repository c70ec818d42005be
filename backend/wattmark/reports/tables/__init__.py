"""The tables of the product, as data."""
