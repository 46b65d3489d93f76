#include "haptos/system/points.h"

#include <algorithm>

namespace haptos {

int Points::add(int block, int body, int env, const Vec3d& position) {
  block_.push_back(block);
  body_.push_back(body);
  env_.push_back(env);
  lever_.push_back(-1);
  affine_.push_back(-1);
  carried_.push_back(0);
  columns_.push_back(block == kDriven ? 0 : 3);
  for (std::vector<Vec3d>* a : {&x_start, &x_base, &x_target, &x}) a->push_back(position);
  u.push_back(Vec3d::zero());
  return size() - 1;
}

int Points::add_node(int block, int body, int env, const Vec3d& position) {
  return add(block, body, env, position);
}

int Points::add_driven(int body, int env, const Vec3d& position) {
  return add(kDriven, body, env, position);
}

int Points::add_affine(int block, int body, int env, const Vec3d& position, const Vec3d& local) {
  const int p = add(block, body, env, position);
  affine_.back() = static_cast<int>(weights_.size());
  columns_.back() = 12;
  weights_.insert(weights_.end(), {1.0, local[0], local[1], local[2]});
  return p;
}

int Points::add_guided(int block, int body, int env, const Vec3d& position, const Vec3d& axis) {
  return add_link(block, body, env, position, axis.a, 1);
}

int Points::add_link(int block, int body, int env, const Vec3d& position, const double* jacobian,
                     int columns) {
  const int p = add(block, body, env, position);
  lever_.back() = static_cast<int>(jacobians_.size());
  columns_.back() = columns;
  jacobians_.insert(jacobians_.end(), jacobian, jacobian + 3 * columns);
  return p;
}

int Points::add_sum(int body, int env, const Part* parts, int count) {
  const int p = add(kSum, body, env, Vec3d::zero());
  lever_.back() = static_cast<int>(parts_.size());
  columns_.back() = count;
  parts_.insert(parts_.end(), parts, parts + count);
  for (std::vector<Vec3d>* a : {&x_start, &x_base, &x_target, &x, &u})
    (*a)[index(p)] = sum_of(p, *a);
  return p;
}

int Points::add_carried(int block, int body, int env, const Vec3d& position, int columns) {
  const std::vector<double> still(static_cast<std::size_t>(3 * columns), 0.0);
  const int p = add_link(block, body, env, position, still.data(), columns);
  carried_.back() = 1;
  return p;
}

void Points::carry(int p, const Vec3d& start, const Vec3d& place, const Vec3d& base,
                   const double* jacobian) {
  x_start[index(p)] = start;
  x_target[index(p)] = place;
  x_base[index(p)] = base;
  std::copy_n(jacobian, 3 * columns(p), jacobians_.begin() + lever_[index(p)]);
}

void Points::begin_step() {
  const auto n = static_cast<std::size_t>(permanent_);
  for (std::vector<int>* a : {&block_, &body_, &env_, &lever_, &affine_, &columns_}) a->resize(n);
  carried_.resize(n);
  for (std::vector<Vec3d>* a : {&x_start, &x_base, &x_target, &x, &u}) a->resize(n);
  jacobians_.resize(permanent_jacobians_);
  parts_.clear();
}

}  // namespace haptos
