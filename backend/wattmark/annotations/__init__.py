"""What people add to runs: tags, a note, and that a run lies in the trash."""
