"""Read what a program prints, and turn it into work done."""
