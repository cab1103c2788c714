"""Rows in, decisions out: comparing runs, and later the gate itself. Pure."""
