"""What is kept of a run: recordings, how they are read again, the report."""
