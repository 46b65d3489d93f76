"""Surfaces and volumes: files, repair, tetrahedra; and what people hand over, made into arrays."""
