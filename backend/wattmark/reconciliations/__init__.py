"""What is known of BMCs that were held against a wall meter."""
