"""What every room uses and no subject owns: errors, base models, numbers, files written whole."""
