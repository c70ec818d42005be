"""Configurations side by side under one workload and level."""
