"""What every room uses: errors, units, options, arrays, turns, and what a command prints."""
