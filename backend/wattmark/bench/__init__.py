"""Servers, configurations, memory populations, meters and who feeds what: the bench file."""
