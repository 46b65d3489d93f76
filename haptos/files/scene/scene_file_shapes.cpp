// Pads and shapes of a scene file, made from a few numbers.
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_parts.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/screw_threads.h"
#include "haptos/geometry/make/shapes.h"

namespace haptos::scene_file {
namespace {

constexpr int kMostCells = 100'000;  // along one axis

double length_at(const Value& v, const char* key) {
  return read_length(v.at(key, std::string("write for example ") + key + ": 4 mm"));
}

Vec3d sizes_at(const Value& v) {
  const Value size = v.at("size", "write for example size: [4 mm, 4 mm, 4 mm]");
  size.list(3, 3);
  return {{read_length(size.item(0)), read_length(size.item(1)), read_length(size.item(2))}};
}

Vec3i cells_of(const Value& v) {
  v.list(3, 3);
  return {{v.item(0).integer(1, kMostCells), v.item(1).integer(1, kMostCells),
           v.item(2).integer(1, kMostCells)}};
}

PadGrading read_grading(const Value& v) {
  if (const auto size = v.find("size")) return PadGrading::uniform(read_length(*size));
  PadGrading g;
  const auto grading = v.find("grading");
  if (!grading) return g;
  grading->keys(
      {"top_size", "base_size", "centre_size", "rim_size", "growth", "layer_growth", "even"});
  const auto set = [&](const char* key, double& out) {
    if (const auto x = grading->find(key)) out = read_length(*x);
  };
  set("top_size", g.top_size);
  set("base_size", g.base_size);
  set("centre_size", g.centre_size);
  set("rim_size", g.rim_size);
  if (const auto growth = grading->find("growth")) g.growth = growth->number("", 1, 100);
  if (const auto growth = grading->find("layer_growth"))
    g.layer_growth = growth->number("", 1, 100);
  if (const auto even = grading->find("even")) {
    even->list(2, 2);
    g.even_x = even->item(0).number("m", 0, kLargestLength) / 2;
    g.even_y = even->item(1).number("m", 0, kLargestLength) / 2;
  }
  return g;
}

PadPart read_part(const Value& v) {
  const auto part = v.find("part");
  if (!part) return PadPart::kFull;
  const std::string word = part->text();
  if (word != "full" && word != "quarter")
    part->fail(printable(word), "must be full or quarter", "write one of these words");
  return word == "full" ? PadPart::kFull : PadPart::kQuarter;
}

double chamfer_of(const Value& v) {
  const auto c = v.find("chamfer");
  return c ? c->number("m", 0, kLargestLength) : 0;
}

// The number of elements along half a width, as pads.h makes them.
double half_count(double half, double chamfer, const PadGrading& g, double even) {
  const double flat = half - chamfer;
  if (!(flat > 0)) return 1;  // refused by pads.h with a better sentence
  return static_cast<double>(graded_lines(flat, g.centre_size, g.rim_size, g.growth, even).size()) +
         std::ceil(chamfer / g.centre_size);
}

// Throws where the tetrahedra of nx * ny * nz cells do not fit; called before they are made.
void check_cells(const Reading& r, const Value& v, double nx, double ny, double nz, int parts) {
  r.check_elements(v, 6.0 * nx * ny * nz * parts);
}

Pad read_box_pad(const Reading& r, const Value& v, int parts, bool dome) {
  if (dome)
    v.keys({"width", "depth", "thickness", "chamfer", "size", "grading", "cells", "part",
            "curvature"});
  else
    v.keys({"width", "depth", "thickness", "chamfer", "size", "grading", "cells", "part"});
  BoxPadShape s;
  s.width = length_at(v, "width");
  s.depth = length_at(v, "depth");
  s.thickness = length_at(v, "thickness");
  s.chamfer = chamfer_of(v);
  if (dome) {
    const Value c = v.at("curvature", "give the radii of curvature along x and y");
    c.list(2, 2);
    s.height = dome_height(s.thickness, read_length(c.item(0)), read_length(c.item(1)));
  }
  const PadPart part = read_part(v);
  if (const auto cells = v.find("cells")) {
    if (part == PadPart::kQuarter)
      cells->fail("", "equal cells fill the full pad only", "give size instead of cells");
    const Vec3i n = cells_of(*cells);
    check_cells(r, *cells, n[0], n[1], n[2], parts);
    return box_pad(s, n[0], n[1], n[2]);
  }
  const PadGrading g = read_grading(v);
  const double quarters = part == PadPart::kFull ? 4 : 1;
  const auto layers = graded_lines(s.thickness, g.top_size, g.base_size, g.down_growth()).size();
  check_cells(r, v, quarters * half_count(s.width / 2, s.chamfer, g, g.even_x),
              half_count(s.depth / 2, s.chamfer, g, g.even_y), static_cast<double>(layers), parts);
  return box_pad(s, g, part);
}

Pad read_round_pad(const Reading& r, const Value& v, int parts, bool dome) {
  if (dome)
    v.keys({"radius", "thickness", "size", "grading", "part", "curvature"});
  else
    v.keys({"radius", "thickness", "chamfer", "size", "grading", "part"});
  const double radius = length_at(v, "radius"), thickness = length_at(v, "thickness");
  const double chamfer = dome ? 0 : chamfer_of(v);
  const PadGrading g = read_grading(v);
  const PadPart part = read_part(v);
  const double rings = half_count(radius, chamfer, g, std::min(g.even_x, g.even_y));
  const auto layers = graded_lines(thickness, g.top_size, g.base_size, g.down_growth()).size();
  check_cells(r, v, (part == PadPart::kFull ? 4 : 1) * rings, rings, static_cast<double>(layers),
              parts);
  if (!dome) return round_pad(radius, thickness, g, part, chamfer);
  const double curvature = length_at(v, "curvature");
  const auto height = [=](double at) { return thickness - at * at / (2 * curvature); };
  return round_dome_pad(radius, thickness, height, g, part);
}

// An upper bound of the triangles that a shape of this extent needs at this facet: before they are
// made, so that no slip of a unit takes all memory.
void check_facets(const Reading& r, const Value& v, double extent, double facet) {
  const double n = extent / facet + 2;
  r.check_elements(v, 8 * n * n);
}

TriMesh read_indenter(const Reading& r, const Value& v) {
  v.keys({"name", "facet", "seed"});
  const auto facet_value = v.find("facet");
  const double facet = facet_value ? read_length(*facet_value) : 0.5e-3;
  const auto seed = v.find("seed");
  check_facets(r, v, 30e-3, facet);
  const Value name = v.at("name", "name an indenter, for example name: dots");
  return located(name, [&] {
    return make_shape(name.text(), facet,
                      seed ? static_cast<unsigned>(seed->integer(0, 1'000'000'000)) : 1u);
  });
}

// The thread of a bolt or a nut of this length; what is out of range is refused by threads.h.
Thread read_thread(const Reading& r, const Value& v, double length) {
  Thread t;
  t.diameter = length_at(v, "diameter");
  t.pitch = length_at(v, "pitch");
  if (const auto a = v.find("allowance")) t.allowance = a->number("m", 0, kLargestLength);
  if (const auto n = v.find("segments")) t.segments = n->integer(1, kMostCells);
  r.check_elements(v, 8.0 * t.segments * (length / t.pitch + 2));
  return t;
}

TriMesh read_bolt(const Reading& r, const Value& v) {
  v.keys({"diameter", "pitch", "length", "across_flats", "head", "allowance", "segments"});
  const double length = length_at(v, "length");
  const auto head = v.find("head");
  const Thread t = read_thread(r, v, length);
  if (!head) return iso_bolt(t, length, 0, 0);
  return iso_bolt(t, length, length_at(v, "across_flats"), read_length(*head));
}

TriMesh read_nut(const Reading& r, const Value& v) {
  v.keys({"diameter", "pitch", "height", "across_flats", "allowance", "segments"});
  const double height = length_at(v, "height");
  return iso_nut(read_thread(r, v, height), height, length_at(v, "across_flats"));
}

TriMesh make(const Reading& r, const std::string& kind, const Value& v) {
  const auto at = [&](const char* key) { return length_at(v, key); };
  const auto facet = [&](double extent) {
    const double f = at("facet");
    check_facets(r, v, extent, f);
    return f;
  };
  if (kind == "indenter") return read_indenter(r, v);
  if (kind == "bolt") return read_bolt(r, v);
  if (kind == "nut") return read_nut(r, v);
  if (kind == "sphere") {
    v.keys({"radius", "facet"});
    const double radius = at("radius");
    return icosphere(radius, facet(4 * radius));
  }
  if (kind == "cap") {
    v.keys({"radius", "height", "facet"});
    const double radius = at("radius"), height = at("height");
    return sphere_lower_cap(radius, height, facet(2.5 * radius));
  }
  if (kind == "box") {
    v.keys({"size", "cells"});
    const Vec3d size = sizes_at(v);
    const auto cells = v.find("cells");
    const Vec3i n = cells ? cells_of(*cells) : Vec3i{{1, 1, 1}};
    const double x = n[0], y = n[1], z = n[2];
    r.check_elements(v, 4 * (x * y + y * z + z * x));
    return box(size, n);
  }
  if (kind == "cylinder") {
    v.keys({"radius", "height", "facet"});
    const double radius = at("radius"), height = at("height");
    return cylinder(radius, height, facet(2 * radius + height));
  }
  if (kind == "cone") {
    v.keys({"radius_bottom", "radius_top", "height", "facet"});
    const double bottom = at("radius_bottom"), height = at("height");
    const auto top_value = v.find("radius_top");
    const double top = top_value ? top_value->number("m", 0, kLargestLength) : 0;
    return cone(bottom, top, height, facet(2 * (bottom + top) + height));
  }
  if (kind == "capsule") {
    v.keys({"radius", "length", "facet"});
    const double radius = at("radius"), length = at("length");
    return capsule(radius, length, facet(4 * radius + length));
  }
  if (kind == "torus") {
    v.keys({"major", "minor", "facet"});
    const double major = at("major"), minor = at("minor");
    return torus(major, minor, facet(6 * major));
  }
  if (kind == "ring") {
    v.keys({"inner_radius", "outer_radius", "height", "facet"});
    const double inner = at("inner_radius"), outer = at("outer_radius"), height = at("height");
    return ring(inner, outer, height, facet(3 * outer + height));
  }
  if (kind == "pins") {
    v.keys({"count", "spacing", "length"});
    const Value count = v.at("count", "write for example count: [21, 21]");
    count.list(2, 2);
    const Vec2i n{{count.item(0).integer(1, kMostCells), count.item(1).integer(1, kMostCells)}};
    r.check_elements(v, 1.0 * n[0] * n[1]);
    const double spacing = at("spacing"), length = at("length");
    return pins(n, spacing, length);
  }
  v.keys({"size"});  // a wedge
  return wedge(sizes_at(v));
}

}  // namespace

SoftSource read_pad(Reading& r, const Value& v, int parts_per_tet) {
  v.keys({"box", "round", "dome"});
  const std::string kind = only_one(v, {"box", "round", "dome"});
  const Value plan = *v.find(kind.c_str());
  plan.map();
  int sizes = 0;
  for (const char* key : {"size", "grading", "cells"}) sizes += plan.find(key) ? 1 : 0;
  if (sizes > 1)
    plan.fail("", "must have one of \"size\", \"grading\" or \"cells\"", "remove the others");
  const bool round = kind == "round" || (kind == "dome" && plan.find("radius"));
  Pad pad = located(plan, [&] {
    return round ? read_round_pad(r, plan, parts_per_tet, kind == "dome")
                 : read_box_pad(r, plan, parts_per_tet, kind == "dome");
  });
  r.elements += static_cast<std::int64_t>(pad.mesh.tets.size()) * parts_per_tet;
  return {std::move(pad.mesh),          true,
          std::move(pad.base_vertices), std::move(pad.x0_vertices),
          std::move(pad.y0_vertices),   std::move(pad.coat)};
}

TriMesh read_shape(Reading& r, const Value& v) {
  if (!v.is_map())
    v.fail("", "must be a map or none",
           "write for example shape: {sphere: {radius: 4 mm, facet: 0.2 mm}}");
  const std::initializer_list<const char*> kinds = {
      "sphere", "cap",   "box",  "cylinder", "cone",     "capsule", "torus",
      "ring",   "wedge", "bolt", "nut",      "indenter", "pins"};
  v.keys(kinds);
  const std::string kind = only_one(v, kinds);
  const Value numbers = *v.find(kind.c_str());
  numbers.map();
  TriMesh mesh = located(numbers, [&] { return make(r, kind, numbers); });
  r.elements += static_cast<std::int64_t>(mesh.triangles.size() + mesh.segments.size());
  return mesh;
}

}  // namespace haptos::scene_file
