"""Models beside each other."""
