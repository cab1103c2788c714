"""Files: query sets, run folders, the journal and its index. The only room that writes."""
