"""A tactile sensor fitted to pictures of a real one."""
