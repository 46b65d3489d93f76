#include "haptos/contact/frozen/stick_anchors.h"

#include <algorithm>

namespace haptos {
namespace {

FeaturePair pair_key(const FeaturePair& contact, int shape_a, int shape_b) {
  FeaturePair key = contact;
  key.feature_a = -1 - shape_a;
  key.feature_b = -1 - shape_b;
  return key;
}

}  // namespace

void StickAnchors::begin(const ContactHistory* history, std::int64_t step) {
  history_ = history;
  step_ = step;
}

const ContactMemory* StickAnchors::find(const FeaturePair& contact, int shape_a, int shape_b,
                                        double& slipped, bool& own) const {
  own = false;
  if (!history_ || history_->empty()) return nullptr;
  if (const auto it = history_->find(contact); it != history_->end()) {
    own = true;
    if (it->second.slipping) slipped = it->second.normal_force;
    return &it->second;
  }
  const auto it = history_->find(pair_key(contact, shape_a, shape_b));
  return it == history_->end() ? nullptr : &it->second;
}

void StickAnchors::keep(const FeaturePair& contact, int shape_a, int shape_b,
                        const ContactMemory& memory) {
  memory_.push_back({contact, memory});
  double slipped = 0;
  bool own = false;
  const ContactMemory* before = find(contact, shape_a, shape_b, slipped, own);
  memory_.back().memory.first_step = before ? before->first_step : step_;
  const FeaturePair pair = pair_key(contact, shape_a, shape_b);
  if (pairs_.empty() || pairs_.back().key != pair) {
    pairs_.push_back({pair, memory_.back().memory});
    return;
  }
  Entry& e = pairs_.back();
  const double part = 1.0 / ++e.count;
  e.memory.anchor += part * (memory.anchor - e.memory.anchor);
  e.memory.normal_force += memory.normal_force;
}

void StickAnchors::sort() {
  const auto before = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  std::sort(memory_.begin(), memory_.end(), before);
  std::sort(pairs_.begin(), pairs_.end(), before);
}

void StickAnchors::remember(ContactHistory& next) const {
  auto p = pairs_.begin();
  for (const Entry& e : memory_) {
    for (; p != pairs_.end() && p->key < e.key; ++p) next.insert_or_assign(p->key, p->memory);
    next.insert_or_assign(e.key, e.memory);
  }
  for (; p != pairs_.end(); ++p) next.insert_or_assign(p->key, p->memory);
}

}  // namespace haptos
