"""From conf/ to a plan: settings, composition, and every trial in order."""
