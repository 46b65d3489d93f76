#include "haptos/sim/batch/tactile_reader.h"

#include <algorithm>
#include <span>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/sensors/field/force_image.h"

namespace haptos {
namespace {

// Rows of an environment to their place among those of all.
template <class Row, class T>
void put(const std::vector<Row>& rows, T* all, std::size_t env) {
  static_assert(sizeof(Row) % sizeof(T) == 0);
  const std::size_t n = std::as_bytes(std::span(rows)).size() / sizeof(T);
  const T* from = reinterpret_cast<const T*>(rows.data());
  std::copy_n(from, n, all + env * n);
}

void put(const Vec3d& v, double* all, std::size_t env) { std::copy_n(v.a, 3, all + 3 * env); }

}  // namespace

TactileReader::TactileReader(Batch& batch, int sensor)
    : batch_(&batch),
      number_(sensor),
      sensor_(batch.model().gels.at(at_index(sensor)).sensor),
      noise_(sensor_->spec().noise),
      scratch_(1),
      printed_with_(noise_),
      reading_(std::make_unique<std::mutex>()) {
  print();
}

void TactileReader::set_noise(const TactileNoise& noise) {
  noise.check();
  const std::lock_guard<std::mutex> alone(*reading_);
  const TactileNoise before = printed_with_;
  noise_ = noise;
  printed_with_ = noise;
  printed_.clear();
  try {
    print();
  } catch (...) {
    noise_ = printed_with_ = before;
    printed_.clear();
    throw;
  }
}

// The noise may have been changed in place since the last reading.
void TactileReader::renew() {
  if (!(noise_ == printed_with_)) {
    noise_.check();
    printed_.clear();
    printed_with_ = noise_;
  }
  print();
}

// Environments whose noise has another key than before get their markers anew.
void TactileReader::print() {
  if (!sensor_->markers() || !noise_.on_prints()) return;
  printed_.resize(at_index(envs()));
  for (int k = 0; k < envs(); ++k) {
    Printed& p = printed_[at_index(k)];
    const std::uint64_t key = sensor_->noise_key(batch_->env(k).state().sensors.key);
    if (p.markers && p.key == key) continue;
    p.markers = std::make_unique<MarkerSensor>(sensor_->printed(noise_, key));
    p.dots = sensor_->dots_of(*p.markers);
    p.key = key;
  }
}

const ContactFieldSensor& TactileReader::field(double smoothing) {
  if (smoothing < 0) return sensor_->field();
  std::unique_ptr<const ContactFieldSensor>& made = fields_[smoothing];
  if (!made)
    made = std::make_unique<ContactFieldSensor>(sensor_->rest(), sensor_->coat(), smoothing);
  return *made;
}

template <class F>
void TactileReader::each(bool contact, const F& f) {
  const std::lock_guard<std::mutex> alone(*reading_);
  renew();
  const auto one = [&](int k, GelScratch& scratch) {
    batch_->env(k).read_gel(number_, {contact, false}, scratch.sample);
    f(at_index(k), scratch);
  };
  const int workers = thread_count();
  if (envs() < workers) {
    for (int k = 0; k < envs(); ++k) one(k, scratch_.front());
    return;
  }
  // Each worker takes every so many environments, with buffers of its own that stay in its cache.
  scratch_.resize(std::max(scratch_.size(), at_index(workers)));
  for_each(
      workers,
      [&](std::ptrdiff_t w) {
        const SerialLoops alone;
        for (int k = static_cast<int>(w); k < envs(); k += workers) one(k, scratch_[at_index(w)]);
      },
      1);
}

void TactileReader::frames(bool now, double* turn, double* origin, double* time) {
  const std::lock_guard<std::mutex> alone(*reading_);
  for (int k = 0; k < envs(); ++k) {
    GelSample& s = scratch_.front().sample;
    batch_->env(k).read_gel(number_, {false, now}, s);
    std::copy_n(s.turn.a, 9, turn + 9 * at_index(k));
    put(s.origin, origin, at_index(k));
    time[k] = s.time;
  }
}

void TactileReader::nodes(bool compensated, double* out) {
  each(compensated, [&](std::size_t k, GelScratch& s) {
    if (compensated)
      for (std::size_t v = 0; v < s.sample.nodes.size(); ++v)
        s.sample.nodes[v] += s.sample.contact.to_surface[v];
    put(s.sample.nodes, out, k);
  });
}

void TactileReader::surface(GelLook look, float* depth, float* normal) {
  look.normals = normal != nullptr;
  each(look.compensated, [&](std::size_t k, GelScratch& s) {
    read_surface(*sensor_, noise_, s.sample, look, s);
    put(s.image.depth, depth, k);
    if (normal) put(s.image.normal, normal, k);
  });
}

void TactileReader::points(const float* depth, double* out) {
  const TactileCamera& camera = sensor_->spec().camera;
  const std::vector<float> rest = sensor_->depth().rest_height();
  for_each(
      envs(),
      [&](std::ptrdiff_t k) {
        DepthImage image;
        image.width = camera.width, image.height = camera.height;
        const float* from = depth + at_index(k) * rest.size();
        image.depth.assign(from, from + rest.size());
        put(image_points(camera, image, rest), out, at_index(k));
      },
      1);
}

void TactileReader::colours(bool clean, std::uint8_t* out) {
  each(false, [&](std::size_t k, GelScratch& s) {
    std::vector<std::uint8_t> bytes;
    const bool moved = !clean && sensor_->markers() && noise_.on_prints();
    const PrintedDots* dots = moved ? printed_[k].dots.get() : sensor_->dots();
    read_colours(*sensor_, noise_, s.sample, dots, clean, bytes, s);
    put(bytes, out, k);
  });
}

void TactileReader::markers(bool clean, const MarkerArrays& out) {
  each(false, [&](std::size_t k, const GelScratch& s) {
    const bool moved = !clean && noise_.on_prints();
    const MarkerSensor& printed = moved ? *printed_[k].markers : *sensor_->markers();
    GelMarkers m;
    read_markers(printed, noise_, s.sample, clean, m);
    put(m.seen.position, out.position, k);
    put(m.seen.flow, out.flow, k);
    put(m.seen.normal, out.normal, k);
    put(m.seen.pixel, out.pixel, k);
    put(m.seen.pixel_flow, out.pixel_flow, k);
    put(m.undistorted, out.undistorted, k);
    put(m.seen.in_view, out.in_view, k);
    put(m.seen.hidden, out.hidden, k);
    put(m.lost, out.lost, k);
  });
}

void TactileReader::contact_field(const ContactFieldSensor& field, const FieldArrays& out) {
  each(true, [&](std::size_t k, const GelScratch& s) {
    const ContactField f = field.measure(s.sample.nodes, s.sample.contact);
    put(f.position, out.position, k);
    put(f.shape.normal, out.normal, k);
    put(f.traction, out.traction, k);
    put(f.shear, out.shear, k);
    put(f.shape.vertex_area, out.area, k);
    put(f.pressure, out.pressure, k);
    put(f.touched, out.touched, k);
    put(f.off_coat, out.off_coat, k);
  });
}

void TactileReader::force_image(const ContactFieldSensor& field, int width, int height,
                                const ForceImageArrays& out) {
  each(true, [&](std::size_t k, const GelScratch& s) {
    const ForceImage image =
        haptos::force_image(sensor_->spec().camera, field.coat(),
                            field.measure(s.sample.nodes, s.sample.contact), width, height);
    put(image.force, out.force, k);
    put(image.shear, out.shear, k);
    put(image.area, out.area, k);
    put(image.touched, out.touched, k);
    put(image.pressure, out.pressure, k);
    put(image.outside, out.outside, k);
  });
}

void TactileReader::touch(const TouchArrays& out) {
  each(true, [&](std::size_t k, const GelScratch& s) {
    const ContactPatch p = sensor_->field().patch(s.sample.nodes, s.sample.contact);
    out.area[k] = p.area;
    put(p.force, out.force, k);
    put(p.torque, out.torque, k);
    put(p.centre, out.centre, k);
    const Vec2d pixel = sensor_->spec().camera.project(p.centre);
    std::copy_n(pixel.a, 2, out.centre_pixel + 2 * k);
    std::copy(p.inside.begin(), p.inside.end(), out.inside + k * p.inside.size());
  });
}

}  // namespace haptos
