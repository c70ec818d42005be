"""Runs of many appliances on the server that all of them send to."""
