"""Multiply matrices on a GPU and report each second how many floating-point operations were done.

usage: gpu_matmul.py SIDE SECONDS. Needs PyTorch with CUDA. bfloat16 operands, SIDE x SIDE; one product is 2 SIDE^3
operations. Prints "work GIGAFLOP in second N" for each second.
"""

from __future__ import annotations

import sys
import time

BATCH = 16


def main(arguments: list[str]) -> int:
    """Run the load and return its exit code."""
    side, seconds = int(arguments[0]), float(arguments[1])
    try:
        import torch
    except ModuleNotFoundError:
        sys.stderr.write("PyTorch is not installed for this Python; install it with CUDA support.\n")
        return 1
    if not torch.cuda.is_available():
        sys.stderr.write("PyTorch finds no CUDA device.\n")
        return 1
    a, b = (torch.randn(side, side, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    gigaflop, done, due = 2 * side**3 / 1e9, 0, time.monotonic() + 1
    end, second = due - 1 + seconds, 1
    while due <= end + 0.5:
        for _ in range(BATCH):
            torch.matmul(a, b)
        torch.cuda.synchronize()
        done += BATCH
        if time.monotonic() >= due:
            print(f"work {done * gigaflop:.3f} in second {second}", flush=True)  # noqa: T201 - the report is the point
            done, due, second = 0, due + 1, second + 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
