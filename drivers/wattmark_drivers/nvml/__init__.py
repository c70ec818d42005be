"""NVIDIA GPUs through the library of their driver (NVML)."""
