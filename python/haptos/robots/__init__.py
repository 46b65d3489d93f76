"""Robots from URDF and MJCF files, what they look like, and a robot of a running scene."""
