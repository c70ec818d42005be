"""One SQLite file with one writer; the only room that speaks SQL."""
