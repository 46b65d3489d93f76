"""A coloured surface as a GLB (glTF 2.0, binary), for the page in the browser."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def surface_glb(vertices: ArrayLike, triangles: ArrayLike, colors: ArrayLike) -> bytes:
    """A mesh with a colour at each vertex.

    vertices (V, 3); triangles (T, 3), counter-clockwise from outside; colors (V, 3), sRGB, 0 to 1.
    Vertices without a triangle are left out.
    """
    t = np.asarray(triangles).reshape(-1, 3)
    used, t = np.unique(t, return_inverse=True)
    x = np.ascontiguousarray(np.asarray(vertices)[used], "<f4")
    srgb = np.clip(np.asarray(colors, float)[used], 0.0, 1.0)
    # glTF's vertex colours are linear light.
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    rgba = np.concatenate([linear, np.ones((len(x), 1))], axis=1).astype("<f4")
    index = np.ascontiguousarray(t.reshape(-1), "<u4")
    parts = [x.tobytes(), rgba.tobytes(), index.tobytes()]
    views, at = [], 0
    for part, target in zip(parts, (34962, 34962, 34963), strict=True):
        views.append({"buffer": 0, "byteOffset": at, "byteLength": len(part), "target": target})
        at += len(part)
    lo, hi = (x.min(axis=0), x.max(axis=0)) if len(x) else (np.zeros(3), np.zeros(3))
    float32, uint32 = 5126, 5125
    head: dict[str, Any] = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 1}, "indices": 2,
                                    "material": 0}]}],
        "materials": [{"doubleSided": True, "pbrMetallicRoughness": {
            "metallicFactor": 0.0, "roughnessFactor": 0.7}}],
        "accessors": [
            {"bufferView": 0, "componentType": float32, "count": len(x), "type": "VEC3",
             "min": [float(v) for v in lo], "max": [float(v) for v in hi]},
            {"bufferView": 1, "componentType": float32, "count": len(x), "type": "VEC4"},
            {"bufferView": 2, "componentType": uint32, "count": len(index), "type": "SCALAR"}],
        "bufferViews": views, "buffers": [{"byteLength": at}]}
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = b"".join(parts)  # a multiple of four bytes already
    whole = 12 + 8 + len(text) + 8 + len(body)
    return b"".join([b"glTF", (2).to_bytes(4, "little"), whole.to_bytes(4, "little"),
                     len(text).to_bytes(4, "little"), b"JSON", text,
                     len(body).to_bytes(4, "little"), b"BIN\0", body])
