"""Contact by boundary layers without a simulation: surfaces and poses in, contacts out.

docs/contact/generator.md shows it; haptos.layers.mujoco puts the contacts into MuJoCo.
"""

from haptos.layers.contacts import Contacts, contacts
from haptos.layers.surface import Surface

__all__ = ["Contacts", "Surface", "contacts"]
