"""The command haptos."""
