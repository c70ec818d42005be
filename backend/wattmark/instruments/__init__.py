"""From the entries of the bench to meters that can be read: find, try, check."""
