"""Result tables as CSV, Markdown, XLSX and JSON."""
