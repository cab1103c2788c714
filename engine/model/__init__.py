"""What things are called: the nouns that every other module passes around. No IO."""
