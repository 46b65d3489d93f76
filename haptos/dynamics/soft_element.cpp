#include "haptos/dynamics/soft_element.h"

namespace haptos {
namespace {

constexpr int kLanes = TetSlots::kLanes;

std::vector<Vec4i> as_points(const TetMesh& rest, int first_point) {
  std::vector<Vec4i> t = rest.tets;
  for (Vec4i& c : t)
    for (int a = 0; a < 4; ++a) c[a] += first_point;
  return t;
}

Mat3d rest_edges(const TetMesh& m, const Vec4i& t) {
  auto x = [&](int a) { return m.vertices[static_cast<std::size_t>(t[a])]; };
  return columns(x(1) - x(0), x(2) - x(0), x(3) - x(0));
}

}  // namespace

std::vector<double> lumped_mass(const TetMesh& mesh, double density) {
  std::vector<double> m(mesh.vertices.size(), 0.0);
  for (const Vec4i& t : mesh.tets) {
    const double quarter = density * det(rest_edges(mesh, t)) / 24.0;
    for (int a = 0; a < 4; ++a) m[static_cast<std::size_t>(t[a])] += quarter;
  }
  return m;
}

SoftElements::SoftElements(const Points& points, const TetMesh& rest, int first_point,
                           int patch_size, const Material& mat)
    : scatter(points, as_points(rest, first_point), patch_size),
      tet_count(static_cast<int>(rest.tets.size())),
      group_count((tet_count + kLanes - 1) / kLanes),
      material(mat),
      lame_parameters(lame(mat.young, mat.poisson)),
      node_mass(lumped_mass(rest, mat.density)) {
  shape.resize(static_cast<std::size_t>(group_count * 9 * kLanes));
  volume.assign(static_cast<std::size_t>(group_count * kLanes), 0.0);
  corner.resize(static_cast<std::size_t>(group_count * kLanes * 4));
  patch_volume.assign(static_cast<std::size_t>(scatter.patch_count()), 0.0);
  for (int t = 0; t < group_count * kLanes; ++t) {
    const Vec4i& tet = rest.tets[static_cast<std::size_t>(t < tet_count ? t : tet_count - 1)];
    const Mat3d edges = rest_edges(rest, tet);
    const Mat3d b = transpose(inverse(edges));  // column a-1 is the gradient of node a
    for (int i = 0; i < 9; ++i)
      shape[static_cast<std::size_t>((t / kLanes * 9 + i) * kLanes + t % kLanes)] = b[i];
    for (int a = 0; a < 4; ++a) corner[static_cast<std::size_t>(4 * t + a)] = first_point + tet[a];
    if (t >= tet_count) continue;
    const double v = det(edges) / 6.0;
    volume[static_cast<std::size_t>(t)] = v;
    patch_volume[static_cast<std::size_t>(t / patch_size)] += v;
  }
}

}  // namespace haptos
