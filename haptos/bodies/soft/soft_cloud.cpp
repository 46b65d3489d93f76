#include "haptos/bodies/soft/soft_cloud.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/query/closest.h"
#include "haptos/system/point_velocity.h"
#include "haptos/system/term.h"

namespace haptos {
namespace {

// Parts of a triangle that its centroid stands for, and each corner.
constexpr double kMiddle = 0.75, kCorner = 1.0 / 12;

Vec3d spanned(const Vec3i& t, const std::vector<Vec3d>& x) {
  const Vec3d& a = x[at_index(t[0])];
  return 0.5 * cross(x[at_index(t[1])] - a, x[at_index(t[2])] - a);
}

}  // namespace

SoftCloud::SoftCloud(const TriMesh& surface, const std::vector<int>& points,
                     const std::vector<char>& driven)
    : points_(points),
      triangles_(surface.triangles),
      x_(points.size(), Vec3d::zero()),
      u_(points.size(), Vec3d::zero()),
      normal_(surface.triangles.size(), Vec3d::zero()) {
  const int vertices = static_cast<int>(points.size());
  std::vector<std::vector<int>> about(points.size());
  double whole = 0;
  std::vector<int> middles;
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    const Vec3i& c = triangles_[at_index(t)];
    rest_area_.push_back(norm(spanned(c, surface.vertices)));
    whole += rest_area_.back();
    bool moves = false;
    for (int k = 0; k < 3; ++k) {
      about[at_index(c[k])].push_back(t);
      moves |= !driven[at_index(c[k])];
    }
    if (moves) middles.push_back(vertices + t);
  }
  about_begin_.push_back(0);
  for (int v = 0; v < vertices; ++v) {
    const std::vector<int>& list = about[at_index(v)];
    about_.insert(about_.end(), list.begin(), list.end());
    about_begin_.push_back(static_cast<int>(about_.size()));
    if (!driven[at_index(v)] && !list.empty()) samples_.push_back(v);
  }
  samples_.insert(samples_.end(), middles.begin(), middles.end());
  edge_ = sqrt(2 * whole / static_cast<double>(std::max<std::size_t>(triangles_.size(), 1)));
  mean_area_ = whole / static_cast<double>(std::max<std::size_t>(samples_.size(), 1));
}

void SoftCloud::begin(const StepContext& context) {
  const Points& p = *context.points;
  step_points_ = &p;
  skin_known_ = false;
  for (std::size_t v = 0; v < points_.size(); ++v) {
    const int k = points_[v];
    x_[v] = p.x_start[at_index(k)];
    if (p.driven(k))
      u_[v] = p.way(k) * (1 / context.h);
    else
      u_[v] = context.z ? internal::velocity(p, *context.pattern, k, *context.z) : Vec3d::zero();
  }
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const Vec3d n = spanned(triangles_[t], x_);
    const double size = norm(n);
    normal_[t] = size > 0 ? n * (rest_area_[t] / size) : Vec3d::zero();
  }
}

double SoftCloud::area(int i, const Vec3d& n) const {
  const int s = samples_[at_index(i)], vertices = static_cast<int>(points_.size());
  if (s >= vertices) return kMiddle * std::max(0.0, -dot(normal_[at_index(s - vertices)], n));
  double sum = 0;
  for (int k = about_begin_[at_index(s)]; k < about_begin_[at_index(s + 1)]; ++k)
    sum += std::max(0.0, -dot(normal_[at_index(about_[at_index(k)])], n));
  return kCorner * sum;
}

Vec3d SoftCloud::mean(int i, const std::vector<Vec3d>& values) const {
  const int s = samples_[at_index(i)], vertices = static_cast<int>(points_.size());
  if (s < vertices) return values[at_index(s)];
  const Vec3i& t = triangles_[at_index(s - vertices)];
  return (values[at_index(t[0])] + values[at_index(t[1])] + values[at_index(t[2])]) * (1.0 / 3);
}

int SoftCloud::parts(int i, const Vec3d&, Points::Part* out) const {
  const int s = samples_[at_index(i)], vertices = static_cast<int>(points_.size());
  if (s < vertices) {
    out[0] = {points_[at_index(s)], 1};
    return 1;
  }
  const Vec3i& t = triangles_[at_index(s - vertices)];
  for (int k = 0; k < 3; ++k) out[k] = {points_[at_index(t[k])], 1.0 / 3};
  return 3;
}

void SoftCloud::find_skin() const {
  skin_known_ = true;
  boxes_.clear();
  vertex_normal_.assign(points_.size(), Vec3d::zero());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const Vec3i& c = triangles_[t];
    boxes_.push_back(Aabb::of(x_[at_index(c[0])], x_[at_index(c[1])], x_[at_index(c[2])]));
    for (int k = 0; k < 3; ++k) vertex_normal_[at_index(c[k])] += normal_[t];
  }
  if (tree_.size() == static_cast<int>(boxes_.size()))
    tree_.refit(boxes_);
  else
    tree_.build(boxes_);
}

bool SoftCloud::skin(const Vec3d& x, double reach, Skin& out) const {
  if (!skin_known_) find_skin();
  const auto nearest = [&](int t) {
    const Vec3i& c = triangles_[at_index(t)];
    return closest_on_triangle(x, x_[at_index(c[0])], x_[at_index(c[1])], x_[at_index(c[2])]);
  };
  const Bvh::Nearest found = tree_.nearest(
      x,
      [&](int t) {
        const Vec3i& c = triangles_[at_index(t)];
        const auto near = nearest(t);
        Vec3d away = x;
        for (int k = 0; k < 3; ++k) away -= near.beta[k] * x_[at_index(c[k])];
        return squared_norm(away);
      },
      square(std::max(reach, edge_)));
  if (found.index < 0) return false;
  const Vec3i& c = triangles_[at_index(found.index)];
  const auto near = nearest(found.index);
  Vec3d away = x, outward = Vec3d::zero();
  out.velocity = Vec3d::zero();
  for (int k = 0; k < 3; ++k) {
    away -= near.beta[k] * x_[at_index(c[k])];
    outward += near.beta[k] * vertex_normal_[at_index(c[k])];
    out.velocity += near.beta[k] * u_[at_index(c[k])];
    out.part[k] = {points_[at_index(c[k])], near.beta[k]};
  }
  const double distance = norm(away);
  out.distance = dot(away, outward) < 0 ? -distance : distance;
  // On the surface itself, where the way to it has no direction, that of the triangle.
  constexpr double kOnIt = 1e-6;
  const Vec3d& face = normal_[at_index(found.index)];
  if (distance > kOnIt * edge_)
    out.n = away * (1 / out.distance);
  else if (norm(face) > 0)
    out.n = face * (1 / norm(face));
  else
    return false;
  return true;
}

Vec3d SoftCloud::node_place(int point) const { return step_points_->x_start[at_index(point)]; }

}  // namespace haptos
