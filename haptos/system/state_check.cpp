// What no run leaves behind, whatever its model: see check_state in state.h.
#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/system/state.h"

namespace haptos {
namespace {

constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;
constexpr double kUnit = 1e-6;  // length of a quaternion less one

class Check {
 public:
  explicit Check(const std::string& name) : name_(name) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& value,
                           const std::string& rule) const {
    throw InputError({name_, 0, 0, what + " of the state", value, rule,
                      "save the state again from the run it belongs to"});
  }
  void finite(const std::string& what, double v) const {
    if (!std::isfinite(v)) refuse(what, internal::format_number(v), "must be finite");
  }
  void finite(const char* what, const std::vector<double>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!std::isfinite(all[i])) finite(what + (" " + std::to_string(i)), all[i]);
  }
  void finite(const std::string& what, const Vec3d& v) const {
    for (double x : v.a) finite(what, x);
  }
  void within(const std::string& what, double v, double low, double high) const {
    if (!(v >= low && v <= high))
      refuse(
          what, internal::format_number(v),
          "must be from " + internal::format_number(low) + " to " + internal::format_number(high));
  }
  void counted(const std::string& what, std::int64_t n, std::int64_t low,
               std::int64_t high = kMostCounted) const {
    if (n < low || n > high)
      refuse(what, std::to_string(n),
             "must be from " + std::to_string(low) + " to " + std::to_string(high));
  }
  void pose(const std::string& what, const Pose& x) const {
    finite(what, x.p);
    const double n = std::sqrt(x.q.w * x.q.w + x.q.x * x.q.x + x.q.y * x.q.y + x.q.z * x.q.z);
    if (!(std::abs(n - 1) < kUnit))
      refuse(what, internal::format_number(n), "must have a quaternion w x y z of length 1");
  }

 private:
  const std::string& name_;
};

void check_path(const Check& check, const std::string& what, const PathState& p) {
  check.pose(what, p.from);
  check.pose(what, p.to);
  check.within("fraction of " + what, p.s, 0, 1);
  for (const Vec3d& x : p.bent) check.finite("a point of " + what, x);
}

void check_memory(const Check& check, const FeaturePair& key, const ContactMemory& m,
                  std::int64_t step) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  check.counted("an environment of the contact history", key.env, 0, 0);
  for (const std::int32_t body : {key.body_a, key.body_b})
    check.counted("a body of the contact history", body, -1, kMost);
  for (const std::int32_t part : {key.part_a, key.part_b})
    check.counted("a surface of the contact history", part, kNotes, kMost);
  check.finite("a normal force of the contact history", m.normal_force);
  check.finite("an anchor of the contact history", m.anchor);
  check.within("a place on an edge of the contact history", m.edge, 0, 1);
  check.counted("a triangle of the contact history", m.triangle, -1, kMost);
  check.counted("a mark of slip of the contact history", m.slipping, 0, 1);
  check.counted("a first step of the contact history", m.first_step, -1, step);
}

}  // namespace

void check_state(const State& s, const std::string& name) {
  const Check check(name);
  check.within("time", s.time, 0, std::numeric_limits<double>::max());
  check.counted("step", s.step, 0);
  check.within("length of the last step", s.last_dt, 0, std::numeric_limits<double>::max());
  check.finite("coordinate", s.q);
  check.finite("velocity", s.z);
  check.finite("coordinate before the last", s.q_before);
  check.finite("velocity before the last", s.z_before);
  for (std::size_t i = 0; i < s.paths.size(); ++i)
    check_path(check, "path " + std::to_string(i), s.paths[i]);
  for (std::size_t i = 0; i < s.targets.size(); ++i)
    if (s.targets[i]) check.pose("target " + std::to_string(i), *s.targets[i]);
  check.finite("force or torque", s.wrenches);
  check.finite("control", s.controls);
  check.finite("sensor value", s.sensors.values);
  for (const std::int64_t n : s.sensors.counts) check.counted("a sensor's count", n, 0);
  for (const auto& [key, memory] : s.history) check_memory(check, key, memory, s.step);
}

}  // namespace haptos
