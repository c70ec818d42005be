"""Loads on other systems that HTTP calls begin and end."""
