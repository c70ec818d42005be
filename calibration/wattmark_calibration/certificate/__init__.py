"""Certificates: points, record, conformity, status, review, and the files they come from."""
