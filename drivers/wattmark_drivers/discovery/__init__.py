"""Find out which devices answer where a person says to look."""
