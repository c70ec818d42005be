"""What people add to runs: tags, a note, the choice to rank one."""
