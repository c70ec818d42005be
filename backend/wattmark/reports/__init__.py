"""Result tables as CSV, Markdown, LaTeX, HTML, XLSX, JSON and Parquet; figures; the report of a campaign."""
