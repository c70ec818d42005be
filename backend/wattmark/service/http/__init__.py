"""The HTTP shell around the routes: problems, headers, limits, assets."""
