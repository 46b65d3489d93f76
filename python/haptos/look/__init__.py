"""Pictures, films and pages of a scene at a moment."""
