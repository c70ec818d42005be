"""LoadGen's logs: what ran, and how much work it did."""
