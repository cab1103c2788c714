"""The command line: one command a file, each read, one call, print, exit code."""
