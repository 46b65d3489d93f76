"""A scene as a person describes it, its file, and the simulation that runs it."""
