"""Writes the kernel's files for power meters, GPUs and RAPL."""
