"""Readers and wrappers for learning. Each module can be imported without what it is made for."""
