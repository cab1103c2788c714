"""From a plan to records: the only loop that calls a target."""
