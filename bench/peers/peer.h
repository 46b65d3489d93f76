// What a driver of bench/peers does around an engine: reads scenes from standard input one after
// the other, steps and measures each, prints one line of JSON for it. The Python drivers do the
// same (scene.py).
//
// A scene is bodies (boxes and balls) over one half-space. Lines of the input:
//   dt .01 | steps 200 | gravity 9.8 | mu .5 | normal 0 0 1      the plane goes through the origin
//   body box|ball  mass  size  x y z  qw qx qy qz                edge or radius [m], mass [kg], SI
//   force_steps 50       reads the force on the ground in the last so many steps
//   balls 1              measures penetration after every step
//   option name value    of the engine
//   end                  of the scene
//
// Time is process CPU time of the steps alone.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace peers {

using Vec = std::array<double, 3>;

inline double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Body {
  bool box = false;
  double mass = 1, size = 1;
  Vec p{};
  std::array<double, 4> q{};  // w x y z
};

struct Scene {
  double dt = 0.01, gravity = 9.8, mu = 0.5;
  int steps = 0, force_steps = 0;
  bool balls = false;
  Vec normal{{0, 0, 1}};
  std::vector<Body> bodies;
  std::map<std::string, std::string> options;

  double number(const std::string& name, double otherwise) const {
    const auto it = options.find(name);
    return it == options.end() ? otherwise : std::stod(it->second);
  }
  std::string word(const std::string& name, const std::string& otherwise) const {
    const auto it = options.find(name);
    return it == options.end() ? otherwise : it->second;
  }
};

inline bool read_scene(std::istream& in, Scene& s) {
  s = {};
  std::string line, key;
  while (std::getline(in, line)) {
    std::istringstream row(line);
    if (!(row >> key)) continue;
    if (key == "end") return true;
    if (key == "dt") row >> s.dt;
    if (key == "steps") row >> s.steps;
    if (key == "gravity") row >> s.gravity;
    if (key == "mu") row >> s.mu;
    if (key == "force_steps") row >> s.force_steps;
    if (key == "balls") row >> s.balls;
    if (key == "normal") row >> s.normal[0] >> s.normal[1] >> s.normal[2];
    if (key == "body") {
      Body b;
      std::string kind;
      row >> kind >> b.mass >> b.size >> b.p[0] >> b.p[1] >> b.p[2];
      for (double& x : b.q) row >> x;
      b.box = kind == "box";
      s.bodies.push_back(b);
    }
    if (key == "option") {
      std::string name, value;
      row >> name >> value;
      s.options[name] = value;
    }
    if (row.fail()) {
      std::cerr << "peer: cannot read the line: " << line << "\n";
      std::exit(2);
    }
  }
  return false;
}

struct Engine {
  virtual ~Engine() = default;
  virtual void step() = 0;
  virtual Vec position(size_t body) const = 0;
  virtual int contacts() const = 0;         // of the last step, as the engine counts them
  virtual double ground_force() const = 0;  // along the normal, of the last step [N]
};

inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Penetration by positions alone, alike for every engine: pairs nearer than kTouch are contacts.
inline constexpr double kTouch = 1e-4;

struct Penetration {
  double squares = 0, deepest = 0, contacts = 0;

  void add(double gap) {
    if (gap > kTouch) return;
    contacts += 1;
    const double depth = std::max(0.0, -gap);
    squares += depth * depth;
    deepest = std::max(deepest, depth);
  }
  void add(const Scene& s, const std::vector<Vec>& p) {
    for (size_t i = 0; i < p.size(); ++i) {
      add(dot(s.normal, p[i]) - s.bodies[i].size);
      for (size_t j = 0; j < i; ++j) {
        const double r = s.bodies[i].size + s.bodies[j].size;
        const Vec d{{p[i][0] - p[j][0], p[i][1] - p[j][1], p[i][2] - p[j][2]}};
        const double square = dot(d, d);
        if (square < (r + kTouch) * (r + kTouch)) add(std::sqrt(square) - r);
      }
    }
  }
};

inline void run_and_print(const Scene& s, Engine& engine, const char* version) {
  double time = 0, own = 0, weight = 0, force_squares = 0;
  for (const Body& b : s.bodies) weight += b.mass * s.gravity * s.normal[2];
  Penetration depth;
  std::vector<Vec> p(s.bodies.size());
  const bool look = s.balls;
  const int last = s.steps - s.force_steps;
  double t = cpu_seconds();
  for (int n = 0; n < s.steps; ++n) {
    engine.step();
    if (!look && n < last) continue;
    time += cpu_seconds() - t;
    own += engine.contacts();
    if (n >= last) force_squares += std::pow(engine.ground_force() / weight - 1, 2);
    if (look) {
      for (size_t i = 0; i < p.size(); ++i) p[i] = engine.position(i);
      depth.add(s, p);
    }
    t = cpu_seconds();
  }
  if (!look && s.force_steps == 0) time += cpu_seconds() - t;
  std::printf("{\"version\": \"%s\", \"seconds\": %.9g, \"not_converged\": 0", version, time);
  if (s.force_steps > 0)
    std::printf(", \"force_error\": %.9g", std::sqrt(force_squares / s.force_steps));
  if (look || s.force_steps > 0)
    std::printf(", \"own_contacts\": %.9g", own / (look ? s.steps : s.force_steps));
  if (look)
    std::printf(", \"rms\": %.9g, \"deepest\": %.9g, \"contacts\": %.9g",
                std::sqrt(depth.squares / std::max(1.0, depth.contacts)), depth.deepest,
                depth.contacts / s.steps);
  std::printf(", \"positions\": [");
  for (size_t i = 0; i < p.size(); ++i) {
    const Vec x = engine.position(i);
    std::printf("%s[%.12g, %.12g, %.12g]", i ? ", " : "", x[0], x[1], x[2]);
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

}  // namespace peers
