#include "haptos/sim/pairs.h"

#include <algorithm>

namespace haptos {
namespace {

template <class List>
const std::string* find_layer(const List& list, const std::string& body) {
  for (const auto& b : list)
    if (b.name == body) return &b.layer;
  return nullptr;
}

bool glued(const Scene& scene, const std::string& soft, const std::string& carrier) {
  for (const SoftBody& s : scene.soft)
    if (s.name == soft)
      return std::any_of(s.glue.begin(), s.glue.end(),
                         [&](const Glue& g) { return g.body == carrier; });
  return false;
}

// The layer of a body, "" for none.
const std::string& layer_of(const Scene& s, const std::string& body) {
  static const std::string none;
  if (const std::string* l = find_layer(s.soft, body)) return *l;
  if (const std::string* l = find_layer(s.affine, body)) return *l;
  if (const std::string* l = find_layer(s.prescribed, body)) return *l;
  if (const std::string* l = find_layer(s.robots, body)) return *l;
  if (const std::string* l = find_layer(s.half_spaces, body)) return *l;
  return none;
}

}  // namespace

const PairOptions* pair_options(const Scene& scene, const std::string& a, const std::string& b) {
  if (scene.pairs.empty()) return nullptr;
  const std::string &la = layer_of(scene, a), &lb = layer_of(scene, b);
  const PairOptions* best = nullptr;
  int named = -1;  // how many of the two are named as bodies
  const auto offer = [&](const PairOptions& p, const std::string& x, const std::string& lx,
                         const std::string& y, const std::string& ly) {
    if ((p.a != x && (lx.empty() || p.a != lx)) || (p.b != y && (ly.empty() || p.b != ly))) return;
    const int n = (p.a == x) + (p.b == y);
    if (n > named) best = &p, named = n;
  };
  for (const PairOptions& p : scene.pairs) {
    offer(p, a, la, b, lb);
    offer(p, b, lb, a, la);
  }
  return best;
}

bool may_touch(const Scene& scene, const std::string& a, const std::string& b) {
  if (glued(scene, a, b) || glued(scene, b, a)) return false;
  const PairOptions* p = pair_options(scene, a, b);
  return !p || p->enabled;
}

}  // namespace haptos
