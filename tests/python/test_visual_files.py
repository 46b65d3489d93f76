"""COLLADA and glTF files that robots show."""

import json
import struct
import time

import numpy as np
import pytest

import haptos
from conftest import outside_file
from haptos.robots.load import shape_parts
from haptos.robots.visual_files import read_visual

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


def collada(body='<polylist material="m" count="1"><input semantic="VERTEX" source="#v" offset="1"/>'
                 '<input semantic="NORMAL" source="#n" offset="0"/><vcount>4</vcount>'
                 "<p>0 0 0 1 0 2 0 3</p></polylist>",
            nodes='<node><translate>10 0 0</translate><rotate>0 0 1 90</rotate>'
                  '<node><scale>2 1 1</scale><instance_geometry url="#g"><bind_material>'
                  '<technique_common><instance_material symbol="m" target="#red"/>'
                  "</technique_common></bind_material></instance_geometry></node></node>",
            head=""):
    points = " ".join(str(c) for p in SQUARE for c in p)
    return f"""<?xml version="1.0"?>{head}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse><color>1 0 0 0.5</color>
</diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="red"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array count="12">{points}</float_array>
<technique_common><accessor count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{body}</mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s">{nodes}</visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def glb(change=lambda j: None, data=None):
    blob = np.array(SQUARE, "<f4").tobytes() + np.array([0, 1, 2, 0, 2, 3], "<u2").tobytes()
    j = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
         "nodes": [{"children": [1], "translation": [0, 0, 5]},
                   {"mesh": 0, "rotation": [0, 0, 0.5**0.5, 0.5**0.5], "scale": [1, 1, -1]}],
         "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
         "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 1]}}],
         "buffers": [{"byteLength": len(blob)}],
         "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48}],
         "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                       {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}]}
    change(j)
    text = json.dumps(j).encode()
    text += b" " * (-len(text) % 4)
    blob = blob if data is None else data
    body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob),
                                                                        b"BIN\0") + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def area_vectors(mesh):
    """Twice the area of each triangle along its normal."""
    x = np.asarray(mesh.vertices)[np.asarray(mesh.triangles)]
    return np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])


def test_collada_is_scaled_placed_and_coloured(tmp_path):
    (tmp_path / "a.dae").write_text(collada())
    part, = read_visual(tmp_path / "a.dae")
    # Scaled by 2 in x, turned by 90 degrees, moved by 10, then centimetres.
    expected = np.array([(10, 0, 0), (10, 2, 0), (9, 2, 0), (9, 0, 0)]) * 0.01
    np.testing.assert_allclose(part.mesh.vertices, expected, atol=1e-15)
    assert part.rgba == (1, 0, 0, 0.5) and len(part.mesh.triangles) == 2
    np.testing.assert_allclose(area_vectors(part.mesh), [(0, 0, 2e-4)] * 2, atol=1e-18)


def test_triangles_polygons_and_files_without_a_scene_are_read(tmp_path):
    entry = '<input semantic="VERTEX" source="#v" offset="0"/>'
    for body, count in ((f'<triangles count="1">{entry}<p>0 1 2</p></triangles>', 1),
                        (f"<polygons>{entry}<p>0 1 2 3</p><p>0 1 2</p></polygons>", 3)):
        (tmp_path / "a.dae").write_text(collada(body))
        assert len(read_visual(tmp_path / "a.dae")[0].mesh.triangles) == count
    (tmp_path / "a.dae").write_text(collada().replace("<scene>", "<extra>").replace(
        "</scene>", "</extra>"))
    part, = read_visual(tmp_path / "a.dae")
    np.testing.assert_allclose(part.mesh.vertices, np.array(SQUARE) * 0.01, atol=1e-15)


def test_gltf_is_placed_turned_to_z_up_and_kept_outward(tmp_path):
    (tmp_path / "a.glb").write_bytes(glb())
    part, = read_visual(tmp_path / "a.glb")
    # Mirrored in z, turned about z, moved by 5 along z, then y up becomes z up.
    expected = [(0, -5, 0), (0, -5, 1), (-1, -5, 1), (-1, -5, 0)]
    np.testing.assert_allclose(part.mesh.vertices, expected, atol=1e-7)
    assert part.rgba == (0, 1, 0, 1)
    # The front of the square looked along z, mirrored along -z, which is y there.
    np.testing.assert_allclose(area_vectors(part.mesh), [(0, 1, 0)] * 2, atol=1e-7)


def test_a_robot_shows_them_scaled(tmp_path):
    (tmp_path / "a.dae").write_text(collada())
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"><visual><origin rpy="1.2 0 0"/><geometry><mesh filename="a.dae" scale="1 1 -10"/>'
        "</geometry></visual></link></robot>")
    robot = haptos.load_robot(tmp_path / "r.urdf")
    part, = shape_parts(robot.links[0].visuals[0])
    np.testing.assert_allclose(area_vectors(part.mesh), [(0, 0, -2e-4)] * 2, atol=1e-18)
    image = haptos.robot_picture(robot, width=160, height=120).astype(float)
    assert (image[..., 0] > 1.2 * image[..., 1]).mean() > 0.02
    (tmp_path / "a.dae").write_text("<COLLADA>")
    with pytest.warns(UserWarning, match="is damaged"):
        assert shape_parts(robot.links[0].visuals[0]) == []


def ring(j):
    j["nodes"][1] = {"children": [0, 0]}


@pytest.mark.parametrize("data", [
    b"", b"<COLLADA", collada(head="<!DOCTYPE c [<!ENTITY a 'b'>]>").encode(),
    collada().encode("utf-16"), collada().replace(" 2 0 3</p>", " 2 0 9</p>").encode(),
    collada().replace("<vcount>4", "<vcount>2").encode(),
    collada().replace("<vcount>4", "<vcount>9").encode(),
    collada().replace("0.01", "nan").encode(), collada().replace('"#p"', '"#q"').encode(),
    collada(nodes='<node id="n"><instance_node url="#n"/><instance_node url="#n"/></node>').encode(),
    collada(nodes="").encode()])
def test_bad_collada_is_one_sentence_in_bounded_time(tmp_path, data):
    (tmp_path / "a.dae").write_bytes(data)
    start = time.monotonic()
    with pytest.raises(haptos.InputError):
        read_visual(tmp_path / "a.dae")
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("data", [
    b"", b"glTF", glb()[:-4], glb(ring), glb(lambda j: j.update(nodes=[])),
    glb(lambda j: j["accessors"][0].update(count=2**40)),
    glb(lambda j: j["accessors"][0].update(byteOffset=-4)),
    glb(lambda j: j["bufferViews"][0].update(byteStride=0)),
    glb(lambda j: j["buffers"][0].update(uri="file:///etc/passwd")),
    glb(lambda j: j["accessors"][1].update(componentType=5126)),
    glb(data=b"\xff" * 60), glb(data=b"")])
def test_bad_gltf_is_one_sentence_in_bounded_time(tmp_path, data):
    (tmp_path / "a.glb").write_bytes(data)
    start = time.monotonic()
    with pytest.raises(haptos.InputError):
        read_visual(tmp_path / "a.glb")
    assert time.monotonic() - start < 10


def test_visuals_of_other_projects_have_the_size_of_their_collisions():
    file = outside_file("robots/panda_description/meshes/visual/finger.dae")
    seen = np.concatenate([np.asarray(p.mesh.vertices) for p in read_visual(file)])
    hull = haptos.read_surface(file.parents[1] / "collision" / "finger.stl")
    np.testing.assert_allclose(np.ptp(seen, axis=0), np.ptp(hull.bounds, axis=0), atol=1e-3)
