// State as bytes, little-endian: magic, version, model hash, payload length, payload, hash of the
// payload. Lengths are checked against what is there before anything is allocated.
#include "haptos/system/state.h"

#include <cstring>
#include <ostream>
#include <string>

#include "haptos/base/hash.h"
#include "haptos/base/text/error.h"

namespace haptos {
namespace {

constexpr char kMagic[8] = {'H', 'A', 'P', 'S', 'T', 'A', 'T', 'E'};
constexpr std::uint64_t kVersion = 11;

class Writer {
 public:
  void bytes(const void* p, std::size_t n) {
    if (n > 0) data.append(static_cast<const char*>(p), n);  // p may be null for nothing
  }
  template <class T>
  void value(const T& v) {
    bytes(&v, sizeof v);
  }
  void array(const std::vector<double>& v) {
    value(static_cast<std::uint64_t>(v.size()));
    bytes(v.data(), v.size() * sizeof(double));
  }
  std::string data;
};

class Reader {
 public:
  Reader(std::string_view d, const std::string& name) : data_(d), name_(name) {}
  void bytes(void* p, std::size_t n) {
    if (n > data_.size() - at_) fail("is truncated");
    if (n > 0) std::memcpy(p, data_.data() + at_, n);  // p may be null for nothing
    at_ += n;
  }
  std::string_view view(std::size_t n) {
    if (n > data_.size() - at_) fail("is truncated");
    at_ += n;
    return data_.substr(at_ - n, n);
  }
  template <class T>
  T value() {
    T v;
    bytes(&v, sizeof v);
    return v;
  }
  std::uint64_t count(std::size_t bytes_each) {
    const auto n = value<std::uint64_t>();
    if (n > (data_.size() - at_) / bytes_each) fail("is truncated");
    return n;
  }
  std::vector<double> array() {
    std::vector<double> v(count(sizeof(double)));
    bytes(v.data(), v.size() * sizeof(double));
    return v;
  }
  void done() const {
    if (at_ != data_.size()) fail("has bytes after its end");
  }
  [[noreturn]] void fail(const std::string& what) const {
    Diagnostic d;
    d.file = name_;
    d.element = "saved state";
    d.rule = what;
    d.remedy = "save it again from the run it belongs to";
    throw InputError(d);
  }

 private:
  std::string_view data_;
  const std::string& name_;
  std::size_t at_ = 0;
};

std::uint64_t hash_bytes(std::string_view s) {
  Hash h;
  h.add(s.data(), s.size());
  return h.value();
}

std::string payload(const State& s) {
  Writer w;
  w.value(s.time);
  w.value(s.step);
  w.value(s.last_dt);
  w.array(s.q);
  w.array(s.z);
  w.array(s.q_before);
  w.array(s.z_before);
  w.value(static_cast<std::uint64_t>(s.paths.size()));
  for (const PathState& p : s.paths) {
    w.value(p.from);
    w.value(p.to);
    w.value(p.s);
    w.value(static_cast<std::uint64_t>(p.bent.size()));
    w.bytes(p.bent.data(), p.bent.size() * sizeof(Vec3d));
  }
  w.value(static_cast<std::uint64_t>(s.targets.size()));
  for (const std::optional<Pose>& t : s.targets) {
    w.value(static_cast<std::uint64_t>(t.has_value()));
    if (t) w.value(*t);
  }
  w.array(s.wrenches);
  w.array(s.controls);
  w.value(s.sensors.key);
  w.array(s.sensors.values);
  w.value(static_cast<std::uint64_t>(s.sensors.counts.size()));
  w.bytes(s.sensors.counts.data(), s.sensors.counts.size() * sizeof(std::int64_t));
  w.value(static_cast<std::uint64_t>(s.history.size()));
  for (const auto& [key, memory] : s.history) {
    w.value(key.env);
    w.value(key.body_a);
    w.value(key.body_b);
    w.value(key.part_a);
    w.value(key.part_b);
    w.value(key.feature_a);
    w.value(key.feature_b);
    w.value(memory.normal_force);
    w.value(memory.anchor);
    w.value(memory.edge);
    w.value(memory.triangle);
    w.value(memory.slipping);
    w.value(memory.first_step);
  }
  return w.data;
}

}  // namespace

std::uint64_t State::hash() const {
  Hash h;
  h.add(time);
  h.add(static_cast<std::uint64_t>(step));
  h.add(last_dt);
  h.add(q);
  h.add(z);
  h.add(q_before);
  h.add(z_before);
  const auto add = [&](const Pose& x) {
    for (double v : {x.p[0], x.p[1], x.p[2], x.q.w, x.q.x, x.q.y, x.q.z}) h.add(v);
  };
  for (const PathState& p : paths) {
    add(p.from);
    add(p.to);
    h.add(p.s);
    for (const Vec3d& v : p.bent)
      for (int c = 0; c < 3; ++c) h.add(v[c]);
  }
  for (const std::optional<Pose>& t : targets) {
    h.add(std::uint64_t{t.has_value()});
    if (t) add(*t);
  }
  h.add(wrenches);
  h.add(controls);
  h.add(sensors.key);
  h.add(sensors.values);
  h.add(sensors.counts.data(), sensors.counts.size() * sizeof(std::int64_t));
  for (const auto& [key, m] : history) {
    for (std::int64_t v :
         {std::int64_t(key.env), std::int64_t(key.body_a), std::int64_t(key.body_b),
          std::int64_t(key.part_a), std::int64_t(key.part_b), key.feature_a, key.feature_b,
          std::int64_t(m.triangle), std::int64_t(m.slipping), m.first_step})
      h.add(static_cast<std::uint64_t>(v));
    for (double v : {m.normal_force, m.anchor[0], m.anchor[1], m.anchor[2], m.edge}) h.add(v);
  }
  return h.value();
}

void save_state(const State& state, std::uint64_t model_hash, std::ostream& out) {
  const std::string body = payload(state);
  Writer w;
  w.bytes(kMagic, sizeof kMagic);
  w.value(kVersion);
  w.value(model_hash);
  w.value(static_cast<std::uint64_t>(body.size()));
  w.bytes(body.data(), body.size());
  w.value(hash_bytes(body));
  out.write(w.data.data(), static_cast<std::streamsize>(w.data.size()));
}

State load_state(std::string_view all, std::uint64_t model_hash, const std::string& name) {
  Reader head(all, name);
  char magic[8];
  if (all.size() < sizeof magic) head.fail("is not a state: too short");
  head.bytes(magic, sizeof magic);
  if (std::memcmp(magic, kMagic, sizeof magic) != 0) head.fail("is not a state of this program");
  if (const auto version = head.value<std::uint64_t>(); version != kVersion)
    head.fail("is of version " + std::to_string(version) + ", and this program reads version " +
              std::to_string(kVersion));
  if (head.value<std::uint64_t>() != model_hash) head.fail("belongs to another model");
  const auto n = head.count(1);
  const std::string_view body = head.view(n);
  if (head.value<std::uint64_t>() != hash_bytes(body)) head.fail("is damaged: checksum differs");
  head.done();

  Reader r(body, name);
  State s;
  s.time = r.value<double>();
  s.step = r.value<std::int64_t>();
  s.last_dt = r.value<double>();
  s.q = r.array();
  s.z = r.array();
  s.q_before = r.array();
  s.z_before = r.array();
  s.paths.resize(r.count(2 * sizeof(Pose)));
  for (PathState& p : s.paths) {
    p.from = r.value<Pose>();
    p.to = r.value<Pose>();
    p.s = r.value<double>();
    p.bent.resize(r.count(sizeof(Vec3d)));
    r.bytes(p.bent.data(), p.bent.size() * sizeof(Vec3d));
  }
  s.targets.resize(r.count(sizeof(std::uint64_t)));
  for (std::optional<Pose>& t : s.targets) {
    const auto set = r.value<std::uint64_t>();
    if (set > 1) r.fail("has a target that is neither set nor not");
    if (set) t = r.value<Pose>();
  }
  s.wrenches = r.array();
  s.controls = r.array();
  s.sensors.key = r.value<std::uint64_t>();
  s.sensors.values = r.array();
  s.sensors.counts.resize(r.count(sizeof(std::int64_t)));
  r.bytes(s.sensors.counts.data(), s.sensors.counts.size() * sizeof(std::int64_t));
  for (std::uint64_t i = r.count(92); i > 0; --i) {
    FeaturePair key;
    key.env = r.value<std::int32_t>();
    key.body_a = r.value<std::int32_t>();
    key.body_b = r.value<std::int32_t>();
    key.part_a = r.value<std::int32_t>();
    key.part_b = r.value<std::int32_t>();
    key.feature_a = r.value<std::int64_t>();
    key.feature_b = r.value<std::int64_t>();
    ContactMemory m;
    m.normal_force = r.value<double>();
    m.anchor = r.value<Vec3d>();
    m.edge = r.value<double>();
    m.triangle = r.value<std::int32_t>();
    m.slipping = r.value<std::int32_t>();
    m.first_step = r.value<std::int64_t>();
    s.history[key] = m;
  }
  r.done();
  check_state(s, name);
  return s;
}

}  // namespace haptos
