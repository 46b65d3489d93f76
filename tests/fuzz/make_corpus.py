#!/usr/bin/env python3
"""Writes the seeds of the mesh, robot and state fuzzers into tests/fuzz/corpus/<format>/.

Good files start with "good_" and must be read; all others are broken in the way that their name
says and must be refused. Run it again after changing it; the files are committed.
"""
import shutil
import struct
from pathlib import Path

ROOT = Path(__file__).parent / "corpus"
POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]


def write(folder, files):
    where = ROOT / folder
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    common = {
        "empty": b"",
        "random": bytes((i * 167 + i * i * 31) % 256 for i in range(200)),
        "utf16": "\ufeffv 0 0 0\n".encode("utf-16-le"),
        "nul": b"v 0 0 0\nv 1 0\0 0\nf 1 1 1\n",
    }
    for name, data in {**common, **files}.items():
        (where / name).write_bytes(data.encode() if isinstance(data, str) else data)


def obj():
    v = "".join("v %g %g %g\n" % p for p in POINTS)
    f = "".join("f %d %d %d\n" % tuple(i + 1 for i in t) for t in FACES)
    return {
        "good_tetrahedron": "# a comment\no part\n" + v + f,
        "good_slashes": v + "vt 0 0\nvn 0 0 1\nf 1/1/1 3/1/1 2/1/1\nf 1//1 2//1 4//1\nf 2/1 3/1 4/1\n",
        "good_negative": v + "f -4 -2 -3\nf -4 -3 -1\r\n",
        "good_forward": "f 1 2 3\n" + v,
        "good_polygon": "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 .5 0\nv 0 2 0\nf 1 2 3 4 5\n",
        "good_continued": v + "f 1 \\\n 2 \\\r\n 3\n",
        "good_colours": "v 0 0 0 1 0 0\nv 1 0 0 1 0 0 1\nv 0 1 0 1\nf 1 2 3\nl 1 2\np 1\n",
        "index_zero": v + "f 0 1 2\n",
        "index_minus_99": v + "f -99 1 2\n",
        "index_99_of_4": v + "f 1 2 99\n",
        "index_beyond_int": v + "f 1 2 4294967297\n",
        "index_beyond_int64": v + "f 1 2 99999999999999999999\n",
        "two_vertices": v + "f 1 2\n",
        "thousand_vertices": v + "f" + " 1 2 3 4" * 250 + "\n",
        "nan": "v nan 0 0\n" + v + "f 1 2 3\n",
        "inf": "v 0 -inf 0\n" + v + "f 1 2 3\n",
        "1e39": "v 0 0 1e39\n" + v + "f 1 2 3\n",
        "1e999": "v 0 0 1e999\n" + v + "f 1 2 3\n",
        "comma": "v 0,5 0 0\n" + v + "f 1 2 3\n",
        "short_vertex": "v 0 0\n" + v + "f 1 2 3\n",
        "no_faces": v,
        "bad_corner": v + "f 1/2/3/4 2 3\n",
        "bad_word": v + "f a b c\n",
    }


def stl_binary(triangles, count=None, points=POINTS, header=b"binary"):
    data = header.ljust(80, b" ") + struct.pack("<I", len(triangles) if count is None else count)
    for t in triangles:
        data += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *points[i]) for i in t) + b"\0\0"
    return data


def stl_text():
    s = "solid part one\n"
    for t in FACES:
        s += " facet normal 0 0 0\n  outer loop\n"
        s += "".join("   vertex %g %g %g\n" % POINTS[i] for i in t)
        s += "  endloop\n endfacet\n"
    return s + "endsolid part one\n"


def stl():
    good = stl_binary(FACES)
    text = stl_text()
    nan = [(float("nan"), 0, 0)] + POINTS[1:]
    big = [(3e38, 0, 0)] + POINTS[1:]
    return {
        "good_binary": good,
        "good_binary_solid": stl_binary(FACES, header=b"solid but binary"),
        "good_text": text,
        "good_text_two_solids": text + text.upper(),
        "binary_none": stl_binary([]),
        "count_too_large": stl_binary(FACES[:2], 2**32 - 1),
        "truncated": good[:-7],
        "truncated_solid": stl_binary(FACES, header=b"solid but binary")[:-7],
        "longer": good + b"xyz",
        "header_only": good[:84],
        "header_cut": good[:40],
        "nan": stl_binary(FACES, points=nan),
        "huge": stl_binary(FACES, points=big),
        "text_cut": text[: len(text) // 2],
        "text_no_end": text[:-22],
        "text_nan": text.replace("vertex 1 0 0", "vertex nan 0 0"),
        "text_1e39": text.replace("vertex 1 0 0", "vertex 1 1e39 0"),
        "text_word": text.replace("outer loop", "outer lop"),
        "text_empty": "solid\nendsolid\n",
        "text_nul": text.replace("vertex 1", "vertex\0 1"),
    }


def ply(kind, extra=""):
    head = "ply\nformat %s 1.0\ncomment made by hand\nelement vertex 4\n" % kind
    head += "property float x\nproperty float y\nproperty float z\nproperty uchar red\n" + extra
    head += "element face 4\nproperty list uchar int vertex_indices\nproperty float quality\n"
    head += "element edge 1\nproperty int vertex1\nproperty list ushort double more\nend_header\n"
    if kind == "ascii":
        body = "".join("%g %g %g 7\n" % p for p in POINTS)
        body += "".join("3 %d %d %d 0.5\n" % t for t in FACES) + "0 2 1.5 2.5\n"
        return (head + body).encode()
    e = "<" if kind == "binary_little_endian" else ">"
    body = b"".join(struct.pack(e + "3fB", *p, 7) for p in POINTS)
    body += b"".join(struct.pack(e + "B3if", 3, *t, 0.5) for t in FACES)
    return head.encode() + body + struct.pack(e + "iH2d", 0, 2, 1.5, 2.5)


def ply_files():
    text = ply("ascii").decode()
    little = ply("binary_little_endian")
    return {
        "good_text": text,
        "good_little": little,
        "good_big": ply("binary_big_endian"),
        "good_crlf": text.replace("\n", "\r\n"),
        "vertex_count_too_large": text.replace("vertex 4", "vertex 2000000000"),
        "vertex_count_larger": text.replace("vertex 4", "vertex 5"),
        "face_count_negative": text.replace("face 4", "face -4"),
        "little_cut": little[:-20],
        "little_count_too_large": little.replace(b"face 4", b"face 4000"),
        "index_too_large": text.replace("3 0 2 1", "3 0 2 9"),
        "index_negative": text.replace("3 0 2 1", "3 0 2 -1"),
        "two_corners": text.replace("3 0 2 1", "2 0 2"),
        "huge_list": text.replace("3 0 2 1", "2000000000 0 2 1"),
        "nan": text.replace("1 0 0 7", "nan 0 0 7"),
        "1e39": text.replace("1 0 0 7", "1e39 0 0 7"),
        "no_x": text.replace("float x", "float w"),
        "no_indices": text.replace("vertex_indices", "corners"),
        "float_count": text.replace("list uchar", "list float"),
        "bad_type": text.replace("float y", "half y"),
        "bad_format": text.replace("ascii", "gzip"),
        "no_properties": "ply\nformat ascii 1.0\nelement vertex 1000000000\nelement face 1\nproperty list uchar int vertex_index\nend_header\n",
        "no_end_header": text[: text.index("end_header")],
        "strips": text.replace("element edge", "element tristrips"),
        "no_faces": text.replace("element face 4", "element other 4"),
    }


def off():
    v = "".join("%g %g %g\n" % p for p in POINTS)
    f = "".join("3 %d %d %d\n" % t for t in FACES)
    good = "OFF\n4 4 6\n" + v + f
    return {
        "good": good,
        "good_one_line_header": "OFF 4 4 6\n# comment\n" + v + f.replace("3 0 2 1\n", "3 0 2 1  255 0 0 # red\n"),
        "good_colours": "COFF\n4 4 6\n" + v.replace("\n", " 255 0 0 255\n") + f,
        "good_quad": "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
        "no_magic": good[4:],
        "4off": "4" + good,
        "binary": "OFF BINARY\n" + good[4:],
        "count_too_large": good.replace("4 4 6", "4 4000000 6"),
        "count_larger": good.replace("4 4 6", "4 5 6"),
        "count_smaller": good.replace("4 4 6", "4 3 6"),
        "count_negative": good.replace("4 4 6", "-4 4 6"),
        "index_too_large": good.replace("3 0 2 1", "3 0 2 4"),
        "two_corners": good.replace("3 0 2 1", "2 0 2"),
        "huge_polygon": good.replace("3 0 2 1", "1000000000 0 2"),
        "nan": good.replace("1 0 0", "nan 0 0"),
        "1e39": good.replace("1 0 0", "1e39 0 0"),
        "extra": good.replace("1 0 0", "1 0 0 0"),
        "cut": good[:20],
    }


def vtk(version, binary, cells=((0, 1, 2, 3),), types=(10,), points=POINTS, real="float", extra=""):
    out = b"# vtk DataFile Version %s\ntitle\n%s\nDATASET UNSTRUCTURED_GRID\n" % (
        version.encode(), b"BINARY" if binary else b"ASCII")

    def numbers(values, code):
        if binary:
            return struct.pack(">%d%s" % (len(values), code), *values) + b"\n"
        return (" ".join("%g" % v if code in "fd" else "%d" % v for v in values) + "\n").encode()

    out += extra.encode()
    out += b"POINTS %d %s\n" % (len(points), real.encode())
    out += numbers([c for p in points for c in p], "f" if real == "float" else "d")
    if version >= "5":
        offsets = [0]
        for c in cells:
            offsets.append(offsets[-1] + len(c))
        out += b"METADATA\nINFORMATION 0\n\n"
        out += b"CELLS %d %d\nOFFSETS vtktypeint64\n" % (len(offsets), offsets[-1])
        out += numbers(offsets, "q") + b"CONNECTIVITY vtktypeint64\n"
        out += numbers([i for c in cells for i in c], "q")
    else:
        flat = [x for c in cells for x in (len(c), *c)]
        out += b"CELLS %d %d\n" % (len(cells), len(flat)) + numbers(flat, "i")
    out += b"CELL_TYPES %d\n" % len(types) + numbers(types, "i")
    return out + b"POINT_DATA %d\nSCALARS s float 1\n" % len(points)


def vtk_files():
    text = vtk("3.0", False).decode()
    five = vtk("5.1", False).decode()
    field = "FIELD FieldData 1\nTIME 1 1 double\n"
    mixed = dict(cells=((0, 1, 2), (0, 1, 2, 3), (0, 1)), types=(5, 10, 3))
    nan = [(float("nan"), 0, 0)] + POINTS[1:]
    return {
        "good_text": text,
        "good_binary": vtk("4.2", True, real="double"),
        "good_text_51": five,
        "good_binary_51": vtk("5.1", True),
        "good_mixed": vtk("3.0", True, **mixed),
        "good_mixed_51": vtk("5.1", True, **mixed),
        "good_field": vtk("3.0", False, extra=field + "0.5\n"),
        "good_field_binary": vtk("3.0", True, extra=field).replace(b"double\nPOINTS", b"double\n" + bytes(8) + b"\nPOINTS"),
        "hexahedron": vtk("3.0", False, cells=((0, 1, 2, 3, 0, 1, 2, 3),), types=(12,)),
        "second_order": vtk("3.0", False, cells=((0, 1, 2, 3, 0, 1, 2, 3, 0, 1),), types=(24,)),
        "unknown_type": vtk("3.0", False, types=(99,)),
        "only_triangles": vtk("3.0", False, cells=((0, 1, 2),), types=(5,)),
        "tet_of_three": vtk("3.0", False, cells=((0, 1, 2),), types=(10,)),
        "offsets_decrease": five.replace("0 4\n", "0 6 4\n").replace("CELLS 2", "CELLS 3"),
        "offsets_too_large": five.replace("0 4\n", "0 9\n"),
        "offsets_negative": five.replace("0 4\n", "-4 4\n"),
        "index_too_large": text.replace("4 0 1 2 3", "4 0 1 2 4"),
        "index_negative": text.replace("4 0 1 2 3", "4 0 1 2 -1"),
        "cell_runs_over": text.replace("4 0 1 2 3", "9 0 1 2 3"),
        "cell_too_short": text.replace("4 0 1 2 3", "3 0 1 2 3"),
        "points_count_large": text.replace("POINTS 4", "POINTS 2000000000"),
        "points_count_wrong": text.replace("POINTS 4", "POINTS 5"),
        "types_count_wrong": text.replace("CELL_TYPES 1\n10", "CELL_TYPES 2\n10 10"),
        "cells_count_large": text.replace("CELLS 1 5", "CELLS 1 5000000000"),
        "binary_cut": vtk("5.1", True)[:200],
        "polydata": text.replace("UNSTRUCTURED_GRID", "POLYDATA"),
        "no_types": text[: text.index("CELL_TYPES")],
        "nan": vtk("5.1", True, points=nan),
        "nan_text": text.replace("1 0 0", "nan 0 0"),
        "1e39": text.replace("1 0 0", "1e39 0 0"),
        "version_9": text.replace("3.0", "9.0"),
        "points_int": text.replace("float", "int"),
        "field_huge": vtk("3.0", False, extra="FIELD F 1\nA 1000000 100000000000 double\n"),
    }


def gmsh2(binary, tags=(1, 2, 3, 4), elements=((4, 2, (1, 1), (1, 2, 3, 4)),), order="<"):
    out = b"$MeshFormat\n2.2 %d 8\n" % binary
    out += (struct.pack(order + "i", 1) + b"\n") if binary else b""
    out += b"$EndMeshFormat\n$Nodes\n%d\n" % len(tags)
    for t, p in zip(tags, POINTS):
        out += struct.pack(order + "i3d", t, *p) if binary else b"%d %g %g %g\n" % (t, *p)
    out += (b"\n" if binary else b"") + b"$EndNodes\n$Elements\n%d\n" % len(elements)
    for i, (kind, n, labels, nodes) in enumerate(elements):
        if binary:
            out += struct.pack(order + "3i", kind, 1, n) + struct.pack(order + "i", i + 1)
            out += struct.pack(order + "%di" % (len(labels) + len(nodes)), *labels, *nodes)
        else:
            out += (" ".join(str(x) for x in (i + 1, kind, n, *labels, *nodes)) + "\n").encode()
    return out + (b"\n" if binary else b"") + b"$EndElements\n"


def gmsh4(binary, tags=(1, 2, 3, 4), kind=4, nodes=(1, 2, 3, 4), parametric=0, dim=3):
    out = b"$MeshFormat\n4.1 %d 8\n" % binary
    out += (struct.pack("<i", 1) + b"\n") if binary else b""
    out += b"$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n$Nodes\n"
    n = len(tags)
    extra = (0.5,) * dim if parametric else ()
    if binary:
        out += struct.pack("<4Q", 1, n, min(tags), max(tags)) + struct.pack("<3iQ", dim, 1, parametric, n)
        out += struct.pack("<%dQ" % n, *tags)
        out += b"".join(struct.pack("<%dd" % (3 + len(extra)), *p, *extra) for p in POINTS)
        out += b"\n$EndNodes\n$Elements\n" + struct.pack("<4Q", 1, 1, 1, 1)
        out += struct.pack("<3iQ", 3, 1, kind, 1) + struct.pack("<%dQ" % (1 + len(nodes)), 1, *nodes) + b"\n"
    else:
        out += b"1 %d %d %d\n%d 1 %d %d\n" % (n, min(tags), max(tags), dim, parametric, n)
        out += "".join("%d\n" % t for t in tags).encode()
        out += "".join(" ".join("%g" % c for c in (*p, *extra)) + "\n" for p in POINTS).encode()
        out += b"$EndNodes\n$Elements\n1 1 1 1\n3 1 %d 1\n" % kind
        out += (" ".join(str(x) for x in (1, *nodes)) + "\n").encode()
    return out + b"$EndElements\n"


def gmsh_files():
    two = gmsh2(False).decode()
    four = gmsh4(False).decode()
    mixed = ((2, 2, (1, 1), (1, 2, 3)), (4, 2, (1, 1), (1, 2, 3, 4)))
    apart = (1000000007, 5, 3, 99)
    return {
        "good_22_text": two,
        "good_22_binary": gmsh2(True),
        "good_22_big_endian": gmsh2(True, order=">"),
        "good_22_mixed": gmsh2(False, elements=mixed),
        "good_22_mixed_binary": gmsh2(True, elements=mixed),
        "good_22_tags_apart": gmsh2(False, tags=apart, elements=((4, 0, (), apart),)),
        "good_41_text": four,
        "good_41_binary": gmsh4(True),
        "good_41_tags_apart": gmsh4(True, tags=apart, nodes=apart),
        "good_41_parametric": gmsh4(False, parametric=1, dim=2),
        "good_22_names": two.replace("$Nodes", "$PhysicalNames\n1\n3 1 \"gel\"\n$EndPhysicalNames\n$Nodes"),
        "nodes_count_large": two.replace("$Nodes\n4", "$Nodes\n4000000000"),
        "nodes_count_larger": two.replace("$Nodes\n4", "$Nodes\n5"),
        "nodes_count_smaller": two.replace("$Nodes\n4", "$Nodes\n3"),
        "nodes_count_negative": two.replace("$Nodes\n4", "$Nodes\n-4"),
        "tag_twice": gmsh2(False, tags=(1, 2, 3, 3)),
        "tag_missing": gmsh2(False, tags=(1, 2, 3, 7)),
        "tag_zero": gmsh2(False, tags=(0, 2, 3, 4)),
        "second_order": gmsh4(False, kind=11, nodes=(1, 2, 3, 4, 1, 2, 3, 4, 1, 2)),
        "hexahedron": gmsh4(True, kind=5, nodes=(1, 2, 3, 4, 1, 2, 3, 4)),
        "unknown_type": gmsh4(False, kind=140),
        "41_nodes_count": four.replace("1 4 1 4\n3 1 0 4", "1 5 1 4\n3 1 0 4"),
        "41_block_count": four.replace("3 1 0 4", "3 1 0 400"),
        "41_binary_cut": gmsh4(True)[:150],
        "version_40": four.replace("4.1 0 8", "4 0 8"),
        "version_1": two.replace("2.2 0 8", "1 0 8"),
        "no_elements": two[: two.index("$Elements")],
        "elements_first": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
        "section_open": two.replace("$Nodes", "$Other\n1\n$Nodes"),
        "nan": two.replace("1 0 0", "nan 0 0"),
        "1e39": two.replace("2 1 0 0", "2 1e39 0 0"),
        "only_triangles": gmsh2(False, elements=((2, 0, (), (1, 2, 3)),)),
        "byte_order": gmsh2(True).replace(b"8\n\x01\0\0\0", b"8\n\x02\0\0\0"),
    }


def urdf():
    limit = '<limit lower="-1" upper="1" effort="10" velocity="2"/>'
    body = ('<inertial><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><mass value="1"/>'
            '<inertia ixx="1" ixy="0" ixz="0.1" iyy="1" iyz="0" izz="1"/></inertial>')

    def link(name, inside=body):
        return f'<link name="{name}">{inside}</link>\n'

    def joint(name, kind, parent, child, rest=""):
        return (f'<joint name="{name}" type="{kind}"><origin xyz="1 0 0" rpy="0 1.5 0"/>'
                f'<parent link="{parent}"/><child link="{child}"/>{rest}</joint>\n')

    def robot(inside):
        return f'<?xml version="1.0"?>\n<robot name="r">\n{inside}</robot>\n'

    shapes = "".join(f"<collision><geometry>{g}</geometry></collision>" for g in (
        '<box size="1 2 3"/>', '<sphere radius="0.1"/>', '<cylinder radius="0.1" length="1"/>',
        '<capsule radius="0.1" length="1"/>'))
    look = ('<visual name="v"><geometry><box size="1 1 1"/></geometry><material name="red">'
            '<color rgba="1 0 0 1"/></material></visual>')
    two = link("a") + link("b")
    kinds = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "ball")
    chain = link("l0") + "".join(
        link(f"l{k + 1}") + joint(f"j{k}", kind, f"l{k}", f"l{k + 1}", limit)
        for k, kind in enumerate(kinds))
    arm = two + joint("j", "revolute", "a", "b", limit)
    mimic = two + link("c") + joint("j", "revolute", "a", "b", limit) + joint(
        "k", "prismatic", "a", "c", limit + '<mimic joint="j" multiplier="-1" offset="0.5"/>')
    return {
        "good_link": robot(link("a", "")),
        "good_arm": robot(arm),
        "good_kinds": robot(chain),
        "good_shapes": robot(link("a", body + look + shapes)),
        "good_mimic": robot(mimic),
        "good_ignored": robot(arm + "<gazebo/><transmission name='t'><type>x</type></transmission>"
                              "<odd/><!-- <robot> --><![CDATA[ <link/> ]]>"),
        "good_dynamics": robot(two + joint("j", "continuous", "a", "b", "<axis xyz='0 3 4'/>"
                                           "<dynamics damping='1' friction='.5'/>")),
        "good_entities": robot(link("&lt;&#x41;&quot;&amp;")),
        "good_inertia_of_nothing_real": robot(link("a", body.replace('ixx="1"', 'ixx="-5"'))),
        "cut": robot(arm)[:150],
        "cut_attribute": robot(arm)[:200] + '"',
        "doctype": '<!DOCTYPE r [<!ENTITY x "y">]>' + robot(arm),
        "deep": "<robot>" * 200 + "</robot>" * 200,
        "loop": robot(two + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")),
        "two_parents": robot(two + link("c") + joint("j", "fixed", "a", "c")
                             + joint("k", "fixed", "b", "c")),
        "two_roots": robot(two),
        "no_links": robot(""),
        "same_name": robot(link("a") + link("a")),
        "unknown_link": robot(two + joint("j", "fixed", "a", "bb")),
        "no_limit": robot(two + joint("j", "revolute", "a", "b")),
        "limits_crossed": robot(arm.replace('lower="-1"', 'lower="2"')),
        "axis_zero": robot(two + joint("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>")),
        "mimic_self": robot(two + joint("j", "revolute", "a", "b", limit + '<mimic joint="j"/>')),
        "mass_negative": robot(link("a", body.replace('value="1"', 'value="-1"'))),
        "mass_nan": robot(link("a", body.replace('value="1"', 'value="nan"'))),
        "number_comma": robot(link("a", shapes.replace("0.1", "0,1"))),
        "number_huge": robot(link("a", shapes.replace("0.1", "1e300"))),
        "size_zero": robot(link("a", shapes.replace("0.1", "0"))),
        "shape_unknown": robot(link("a", shapes.replace("capsule", "torus"))),
        "attribute_typo": robot(link("a", shapes.replace("radius", "raduis"))),
        "attribute_twice": robot('<link name="a" name="b"/>'),
        "mesh_outside": robot(link("a", "<collision><geometry><mesh filename='../../../etc/passwd'/>"
                                   "</geometry></collision>")),
        "mesh_package": robot(link("a", "<collision><geometry><mesh filename='package://p/a.stl'/>"
                                   "</geometry></collision>")),
        "xacro": robot('<xacro:include filename="a.xacro"/>' + arm),
        "mjcf": '<mujoco model="m"><worldbody/></mujoco>',
        "latin1": robot(link("a")).encode()[:-10] + b"<link name='caf\xe9'/></robot>",
    }


def state():
    """Edits of a good state (see fuzz_state.h): places of eight bytes in its content, and what is written there."""
    def edits(*pairs):
        return b"E" + b"".join(struct.pack("<I", at) + (struct.pack("<d", v) if isinstance(v, float)
                                                       else struct.pack("<q", v)) for at, v in pairs)
    head = b"HAPSTATE" + struct.pack("<QQQ", 9, 42, 0)
    return {
        "good_as_it_is": b"E",
        "good_another_time": edits((0, 0.5)),
        "time_nan": edits((0, float("nan"))),
        "time_negative": edits((0, -1.0)),
        "step_negative": edits((8, -1)),
        "step_huge": edits((8, 2**63 - 1)),
        "last_dt_inf": edits((16, float("inf"))),
        "count_zero": edits((24, 0)),
        "count_one_more": edits((24, 10**6)),
        "count_wraps": edits((24, -1)),
        "coordinate_nan": edits((32, float("nan"))),
        "coordinate_inf": edits((40, float("-inf"))),
        "content_empty": b"P",
        "content_zeros": b"P" + bytes(400),
        "content_ones": b"P" + b"\xff" * 400,
        "head_only": head,
        "head_of_another_model": head + bytes(8),
        "head_of_version_8": b"HAPSTATE" + struct.pack("<QQQ", 8, 42, 0) + bytes(8),
        "head_length_huge": b"HAPSTATE" + struct.pack("<QQQ", 9, 42, 2**63) + bytes(64),
    }


if __name__ == "__main__":
    write("obj", obj())
    write("stl", stl())
    write("ply", ply_files())
    write("off", off())
    write("vtk", vtk_files())
    write("gmsh", gmsh_files())
    write("urdf", urdf())
    write("state", state())
