"""One declaration per model, and the loader that checks them."""
