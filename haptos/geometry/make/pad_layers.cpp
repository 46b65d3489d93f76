#include "haptos/geometry/make/pad_layers.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <tuple>

namespace haptos {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Adds the vertices of every layer line from the base (line `last`) up to line `first`.
void add_vertices(Pad& pad, const PadPlane& plane, const std::vector<double>& height,
                  const std::vector<double>& down, int first, int last) {
  const double thickness = pad.thickness;
  const int lines = static_cast<int>(down.size());
  for (int k = last; k >= first; --k)
    for (std::size_t c = 0; c < plane.points.size(); ++c) {
      const double fraction = down[at(k)] / thickness, top = height[c] - thickness;
      const double z = k == lines - 1 ? -thickness : (k == 0 ? top : top - fraction * height[c]);
      pad.mesh.vertices.push_back({{plane.points[c][0], plane.points[c][1], z}});
    }
}

// Cuts the prisms of `layers` layers, the vertices of the lowest line beginning at 0.
void add_prisms(Pad& pad, const PadPlane& plane, int layers) {
  const int columns = static_cast<int>(plane.points.size());
  // Diagonals of the walls between columns u and v run from the bottom of the earlier to the top
  // of the later one. Any order conforms; this one alternates and is mirror symmetric.
  const auto rank = [&](int c) {
    const int i = std::abs(plane.lattice[at(c)][0]), j = std::abs(plane.lattice[at(c)][1]);
    return std::tuple((i + j) % 2, i, j, c);
  };
  for (int k = 0; k < layers; ++k)
    for (const Vec3i& t : plane.triangles) {
      int v[3] = {t[0], t[1], t[2]};
      // In odd layers the order is reversed, so that diagonals zigzag up a wall.
      const bool odd = k % 2 == 1;
      std::sort(v, v + 3,
                [&](int x, int y) { return odd ? rank(y) < rank(x) : rank(x) < rank(y); });
      const bool even_permutation = (v[0] == t[0] && v[1] == t[1]) ||
                                    (v[0] == t[1] && v[1] == t[2]) ||
                                    (v[0] == t[2] && v[1] == t[0]);
      const int b = k * columns, u = (k + 1) * columns;
      Vec4i cut[3] = {{{b + v[0], b + v[1], b + v[2], u + v[2]}},
                      {{b + v[0], b + v[1], u + v[2], u + v[1]}},
                      {{b + v[0], u + v[1], u + v[2], u + v[0]}}};
      for (Vec4i& c : cut) {
        if (!even_permutation) std::swap(c[0], c[1]);
        pad.mesh.tets.push_back(c);
      }
    }
}

// Marks base, coat (the triangles of the plane, whose vertices begin at `top`) and symmetry planes.
void mark(Pad& pad, int base_columns, const PadPlane& coat, int top) {
  for (int c = 0; c < base_columns; ++c) pad.base_vertices.push_back(c);
  for (const Vec3i& t : coat.triangles) pad.coat.push_back({{top + t[0], top + t[1], top + t[2]}});
  for (std::size_t v = 0; v < pad.mesh.vertices.size(); ++v) {
    if (pad.mesh.vertices[v][0] == 0) pad.x0_vertices.push_back(static_cast<int>(v));
    if (pad.mesh.vertices[v][1] == 0) pad.y0_vertices.push_back(static_cast<int>(v));
  }
}

}  // namespace

void add_cell(PadPlane& plane, int p00, int p10, int p11, int p01, int parity, int rising) {
  const bool up = rising != 0 ? rising > 0 : parity == 0;
  if (up) {
    plane.triangles.push_back({{p00, p10, p11}});
    plane.triangles.push_back({{p00, p11, p01}});
  } else {
    plane.triangles.push_back({{p00, p10, p01}});
    plane.triangles.push_back({{p10, p11, p01}});
  }
}

Pad extrude_pad(const PadPlane& plane, const std::vector<double>& down, double thickness,
                const std::vector<double>& height) {
  const int columns = static_cast<int>(plane.points.size());
  const int layers = static_cast<int>(down.size()) - 1;
  Pad pad;
  pad.thickness = thickness;
  pad.mesh.vertices.reserve(at(columns) * down.size());
  add_vertices(pad, plane, height, down, 0, layers);
  pad.mesh.tets.reserve(3 * plane.triangles.size() * at(layers));
  add_prisms(pad, plane, layers);
  mark(pad, columns, plane, layers * columns);
  return pad;
}

Pad extrude_widening(const PadPlane& fine, const PadPlane& wide,
                     const std::vector<PadBlock>& blocks, const std::vector<double>& down,
                     double thickness, const std::vector<double>& fine_height,
                     const std::vector<double>& wide_height) {
  const int columns = static_cast<int>(wide.points.size());
  const int layers = static_cast<int>(down.size()) - 1;
  Pad pad;
  pad.thickness = thickness;
  add_vertices(pad, wide, wide_height, down, 1, layers);
  add_vertices(pad, fine, fine_height, down, 0, 0);
  add_prisms(pad, wide, layers - 1);
  const int below = (layers - 1) * columns, top = layers * columns;
  const auto add = [&](int a, int b, int c, int d) {  // (b - a) x (c - a) points to d
    pad.mesh.tets.push_back({{a, b, c, d}});
  };
  for (const PadBlock& block : blocks) {
    int w[4], f[9];
    for (int i = 0; i < 4; ++i) w[i] = below + block.wide[i];
    for (int i = 0; i < 9; ++i) f[i] = top + block.fine[i];
    const int middle = f[4], corner[4] = {f[0], f[2], f[8], f[6]},
              side[4] = {f[1], f[5], f[7], f[3]};
    if (block.rising) {
      add(w[0], w[1], w[2], middle);
      add(w[0], w[2], w[3], middle);
    } else {
      add(w[0], w[1], w[3], middle);
      add(w[1], w[2], w[3], middle);
    }
    for (int i = 0; i < 4; ++i) {  // a wall is cut from the middle of its top to its lower corners
      const int j = (i + 1) % 4;
      add(w[i], side[i], w[j], middle);
      add(w[i], corner[i], side[i], middle);
      add(w[j], side[i], corner[j], middle);
    }
  }
  mark(pad, columns, fine, top);
  return pad;
}

}  // namespace haptos
