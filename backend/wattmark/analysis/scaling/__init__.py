"""Throughput and power over load levels: scaling laws, knees, queues, proportionality."""
