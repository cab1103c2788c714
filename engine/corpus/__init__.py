"""Documents: read from files, split into titled sections, kept in a search index with their content hash."""
