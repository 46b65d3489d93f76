"""Tactile sensors: pads, the sensors that exist, their readings, colours, noise and scores."""
