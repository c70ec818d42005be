"""The environment of a server: one script that asks for it, one parser of what it prints, what changed in a run."""
