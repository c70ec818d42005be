"""Protocol-true devices with a physical load model; everything they say is simulated."""
