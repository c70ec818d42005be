"""The composition root: builds every room once and hands each what it needs."""
