// One run of minimise() (solve/newton/newton.h): what its parts share. Each part is a file of its
// own:
//
//   newton.cpp            the page: minimise, settle what is lagged, look again at what is frozen
//   newton_iterations.cpp one minimisation, iteration by iteration
//   newton_path.cpp       the first trial, and driven points on their way
//   newton_lags.cpp       passes over what is lagged, and what is done where they do not settle
//   newton_frozen.cpp     where all terms are frozen: impulses first, and kinks
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "haptos/base/borrowed.h"
#include "haptos/solve/newton/impulse_newton.h"
#include "haptos/solve/newton/newton.h"

namespace haptos {

class Minimiser {
 public:
  Minimiser(Objective& f, const NewtonOptions& o, std::vector<double>& z)
      : f_(f), o_(o), z_(z), dz_(f.scratch()) {
    f_.keep_slow(f.all_frozen() ? nullptr : &*slow_room_);
  }
  ~Minimiser() { f_.keep_slow(nullptr); }
  Minimiser(const Minimiser&) = delete;
  Minimiser& operator=(const Minimiser&) = delete;

  NewtonReport run();

 private:
  // newton.cpp
  void look_for_rest();
  bool revise();
  void measure() {
    report_.residual = f_.residual();
    report_.load = f_.load();
    report_.smallest_gap = f_.smallest_gap();
  }

  // newton_iterations.cpp
  void minimise();
  bool ended();
  Energy assemble(double ds);
  bool take_the_last();
  void look_at(const std::vector<double>& z);
  bool direction(double ds, Energy& energy);
  bool solve(double tolerance);
  double forcing();
  bool search(const Energy& energy);
  bool at_round_off();

  // newton_path.cpp
  void predict();
  double go(const std::vector<double>& velocities, double path);
  bool advance(double ds);

  // newton_lags.cpp
  void begin_roughly();
  bool rough_enough();
  bool still_settled();
  void end_exactly();
  void settle_lags(int enough_passes);
  void keep_lags();
  void do_without_lags();
  // Newton on the balance without lags, from where the last pass arrived. Stays where it came
  // nearer to it, else goes back.
  enum class Root { kFound, kNearer, kNotFound };
  Root find_root();

  // newton_frozen.cpp
  void solve_impulses();
  ImpulseNewtonReport iterate_impulses(const ImpulseStart& start, int most);
  bool settled();
  void watch_kinks(double alpha);

  // Residual of the step's tolerance.
  double needed() const { return std::max(o_.force_tolerance * report_.load, o_.force_floor); }
  bool nearly_there() const;
  // Residual that the present minimisation may leave.
  double allowed() const {
    return std::max(share_ * o_.force_tolerance * report_.load, o_.force_floor);
  }
  bool small_residual() const { return report_.residual <= allowed(); }
  bool slow() const { return report_.velocity_change <= o_.velocity_tolerance; }

  Objective& f_;
  const NewtonOptions& o_;
  std::vector<double>& z_;
  std::vector<double>& dz_;
  NewtonReport report_;
  Borrowed<Objective::SlowParts> slow_room_;
  bool went_all_the_way_ = false;  // the last step along its direction
  double before_ = 1e300;          // residual before it, in this minimisation
  bool project_ = false;           // the last direction needed the projected Hessian
  bool wary_ = false;  // the exact Hessian led too far; until a step with the projected one holds
  bool advance_path_ = false, blocked_ = false;
  int blocked_count_ = 0;
  bool follow_ = true;    // lags may follow the coming impulses
  bool dropped_ = false;  // nothing is lagged any more
  double caution_ = 0;
  double last_residual_ = 1e300;
  int spent_ = 0;                 // iterations that led to impulses, and on lags that were dropped
  double share_ = 1;              // of the tolerance that the present minimisation may leave
  bool rough_ = false;            // it is not the last, and velocities may still change
  double solved_residual_ = 0;    // when the last linear system was solved
  bool predicted_ = false;        // what was predicted does for the first minimisation
  std::optional<double> energy_;  // where the last minimisation ended, if known
};

}  // namespace haptos
