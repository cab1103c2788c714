"""A rubric for reading: the same pages for a terminal and as Markdown."""
