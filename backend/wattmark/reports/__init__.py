"""Result tables as CSV, Markdown, LaTeX, HTML, XLSX and JSON."""
