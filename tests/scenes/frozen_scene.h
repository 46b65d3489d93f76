// A small step of our own for scenes of frozen terms: bodies, points, terms and minimise(), in the
// order in which sim/step calls them.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "haptos/bodies/body.h"
#include "haptos/contact/live/contact_term.h"
#include "haptos/solve/newton/newton.h"
#include "haptos/solve/objective/objective.h"

namespace haptos {

class FrozenScene {
 public:
  /// Where the next body goes.
  BodySlots next_slots() const { return slots_; }

  template <class B>
  B* add(std::unique_ptr<B> body) {
    B* raw = body.get();
    for (int n : raw->block_sizes()) {
      sizes_.push_back(n);
      ++slots_.first_block;
      slots_.first_scalar += n;
      slots_.first_mass += static_cast<std::ptrdiff_t>(n) * n;
    }
    slots_.first_q += raw->q_count();
    ++slots_.body;
    bodies_.push_back(std::move(body));
    return raw;
  }
  template <class T>
  T* add_term(std::unique_ptr<T> term) {
    T* raw = term.get();
    terms_.push_back(std::move(term));
    return raw;
  }

  void start() {
    state.q.assign(static_cast<std::size_t>(slots_.first_q), 0.0);
    state.z.assign(static_cast<std::size_t>(slots_.first_scalar), 0.0);
    for (const auto& b : bodies_) b->initialize(state);
    points_.finish_permanent();
    std::vector<Term*> terms;
    for (const auto& t : terms_) terms.push_back(t.get());
    objective_.build(sizes_, std::vector<char>(state.z.size(), 0), &points_, terms);
  }

  NewtonReport step() {
    Inertia& inertia = objective_.inertia();
    inertia.z_past = state.z;
    points_.begin_step();
    BodyStep s;
    s.h = s.b = h;
    s.gravity = gravity;
    s.points = &points_;
    s.mass = &inertia.mass;
    s.z_free = &inertia.z_free;
    s.z_past = &inertia.z_past;
    s.z_hold = &inertia.z_hold;
    s.length = &inertia.length;
    for (const auto& b : bodies_) b->begin_step(state, s);

    std::vector<double> inverse_mass;
    std::size_t block = 0;
    for (int n : sizes_) {
      for (int i = 0; i < n; ++i)
        inverse_mass.push_back(1.0 / inertia.mass[block + static_cast<std::size_t>(i * n + i)]);
      block += static_cast<std::size_t>(n * n);
    }
    StepContext c;
    c.time = state.time;
    c.h = c.b = h;
    c.points = &points_;
    c.z = &state.z;
    c.inverse_mass = &inverse_mass;
    c.step = state.step;
    c.history = &state.history;
    c.z_free = &inertia.z_free;
    objective_.begin_step(c);
    objective_.prepare();

    std::vector<double> z = state.z;
    if (start_guess) start_guess(inertia.z_free, z);
    const NewtonReport r = minimise(objective_, newton, z);
    ContactHistory history;
    for (const auto& t : terms_) {
      t->commit(c, points_);
      if (const auto* contact = dynamic_cast<const ContactTerm*>(t.get()))
        contact->remember(history);
    }
    state.history = std::move(history);
    for (const auto& b : bodies_) b->advance(z, s, state);
    solution = std::move(z);
    state.time += h;
    ++state.step;
    status |= r.status;
    iterations += r.iterations;
    most_iterations = std::max(most_iterations, r.iterations);
    return r;
  }

  const Points& points() const { return points_; }
  const Objective& objective() const { return objective_; }

  double h = 1e-3;
  Vec3d gravity{{0, 0, -9.81}};
  NewtonOptions newton{.force_tolerance = 1e-10, .velocity_tolerance = 1e-8};
  State state;
  /// Changes the velocities z that the minimisation starts from, given the free motion.
  std::function<void(const std::vector<double>& free, std::vector<double>& z)> start_guess;
  std::vector<double> solution;  ///< of the last minimisation
  std::uint32_t status = 0;      ///< of all steps together
  int iterations = 0, most_iterations = 0;

 private:
  BodySlots slots_{0, 0, 0, 0, 0, 0};
  std::vector<int> sizes_;
  std::vector<std::unique_ptr<Body>> bodies_;
  std::vector<std::unique_ptr<Term>> terms_;
  Points points_;
  Objective objective_;
};

}  // namespace haptos
