// Soft bodies as a person describes them.
#pragma once

#include <string>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/scene/parts/field.h"
#include "haptos/scene/parts/loads.h"
#include "haptos/scene/parts/material.h"

namespace haptos {

/// How a soft body's tetrahedra are used; see bodies/elastic/soft_element.h.
enum class Element : std::uint8_t {
  kComposite,  ///< every tetrahedron split into eight with one volume: does not lock
  kLinear,     ///< as given: fewer unknowns, locks as Poisson's ratio nears 1/2
};

/// What moves a soft body.
enum class SoftKind : std::uint8_t {
  kElastic,       ///< its vertices are unknowns of the step, in live contact
  kHydroelastic,  ///< a linear layer without inertia on what it is glued to: its coat touches in
                  ///< frozen contact (contact/frozen/coat/coat_sampler.h)
};

/// Vertices of a soft body held on a prescribed body, an affine body or a link; they move with it
/// and pull on it.
struct Glue {
  std::string body;  ///< name of a prescribed or an affine body, or of a link: "robot/link"
  std::vector<int> vertices;  ///< of the soft body's mesh as given
};

/// Displacement held at zero per component, for symmetry planes and supports.
struct HeldVertices {
  std::vector<int> vertices;
  bool axis[3] = {false, false, false};
};

/// By which family of contact a soft body touches.
enum class SoftContact : std::uint8_t {
  kLive,      ///< barrier or mortar, without a crossing (contact/live)
  kFrozen,    ///< convex, of compliant points (contact/frozen/cloud)
  kPressure,  ///< the same, of a pressure inside its tetrahedra (contact/frozen/hydroelastic)
};

/// Of stiffness, in one environment.
constexpr double kMostSoftFactor = 1e3;

struct SoftBody {
  std::string name;
  Friction friction;
  std::string group;          ///< group of bodies that pairs may name
  TetMesh mesh;               ///< at rest, in its own frame [m]
  Pose pose;                  ///< of that frame at the start
  Vec3d velocity{{0, 0, 0}};  ///< at the start [m/s]; 0: that of its carrier
  Material material;
  Element element = Element::kComposite;
  int model = 0;    ///< a SoftKind
  int contact = 0;  ///< a SoftContact
  std::vector<Glue> glue;
  std::vector<HeldVertices> held;
  /// Triangles (vertices of the mesh as given) that read as the sensing surface; empty: all.
  std::vector<Vec3i> coat;
  std::vector<NodalForce> forces;
  std::vector<SurfacePressure> pressures;
  bool self_contact = false;    ///< whether its surface may touch itself
  double modulus = 0;           ///< of frozen contact: pressure per depth [Pa/m]; 0: by itself
  double relaxation_time = 0;   ///< of frozen contact [s]
  double dissipation = 0;       ///< of frozen contact [s/m]
  History<Vec3d> acceleration;  ///< body force per mass, beside gravity [m/s2], world

  bool is_frozen() const { return contact != static_cast<int>(SoftContact::kLive); }
  bool has_pressure() const { return contact == static_cast<int>(SoftContact::kPressure); }
  bool is_layer() const { return model == static_cast<int>(SoftKind::kHydroelastic); }
};

template <>
struct FieldsOf<SoftBody> {
  static constexpr const char* kKind = "soft body";
  static constexpr const char* kSection = "soft";
  static const std::vector<Field<SoftBody>>& table() {
    using S = SoftBody;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"mesh", "", 0, 0,
          "`{file, unit}`: a `.vtk` (legacy) or `.msh` (Gmsh 2.2, 4.1) file of tetrahedra; `unit` "
          "of its numbers: m, cm, mm, um, in",
          "one of the four"},
         {}},
        {{"surface", "", 0, 0, "a closed surface to be filled with tetrahedra, below",
          "one of the four"},
         {}},
        {{"pad", "", 0, 0, "a pad made from a few numbers, below", "one of the four"}, {}},
        {{"sensor", "", 0, 0,
          "a tactile sensor, by its name or file: pad, gel and camera, [below](#sensor)",
          "one of the four"},
         {}},
        {{"material", "", 0, 0, "options `material` above; `{}` for the defaults",
          "needed, but with `sensor`"},
         {}},
        {{"element", "", 0, 1,
          "composite: each tetrahedron is split into eight that share one volume and does not "
          "lock; linear: as given, fewer unknowns, locks as Poisson's ratio nears 1/2",
          "composite linear"},
         &S::element},
        {{"model", "", 0, 1,
          "elastic: its vertices move by themselves; hydroelastic: a linear layer without inertia "
          "on "
          "what it is glued to, fast, whose coat touches rigid bodies, robots, half-spaces and "
          "prescribed bodies only ([touch](contact/touch.md))",
          "elastic hydroelastic"},
         &S::model},
        {{"contact", "", 0, 2,
          "live: barrier or mortar, nothing crosses; frozen: convex, as rigid bodies and robots "
          "have "
          "it, which it touches with half-spaces and prescribed bodies; hydroelastic: the same, by "
          "a pressure inside its tetrahedra "
          "([frozen contact](contact/soft_frozen.md))",
          "live frozen hydroelastic"},
         &S::contact},
        {{"modulus", "Pa/m", 1, 1e15,
          "of frozen contact: pressure per depth, of points as far as the step can resolve it; "
          "none: "
          "a hundred times Young's modulus per edge of the mesh, of contact hydroelastic thirty",
          "none"},
         &S::modulus},
        {{"relaxation_time", "s", 0, 1e3, "of frozen contact"}, &S::relaxation_time},
        {{"dissipation", "s/m", 0, 1e6,
          "of frozen contact, for the laws `lagged` and `similar` of section `point_contact`"},
         &S::dissipation},
        {{"pose", "", 0, 0,
          "`{position, rotation, frame}` at the start, below; `frame`: a prescribed body, an "
          "affine body or a link (`robot/link`) to which the pose refers, where that one starts",
          "origin, no turn"},
         {}},
        {{"velocity", "m/s", -limits::kFastest, limits::kFastest,
          "of all vertices at the start; where it is 0, and what the body is glued to first is "
          "an affine body or a link, they start as that moves"},
         &S::velocity},
        {{"glue", "", 0, 0,
          "list of `{body, where}`: vertices that move with a prescribed body, an affine body or "
          "a link of a robot (`robot/link`) and pull on it",
          "none"},
         {}},
        {{"held", "", 0, 0,
          "list of `{axes, where}`: displacement along these axes, a list of x, y, z, is zero",
          "none"},
         {}},
        friction_row<S>(),
        group_row<S>(),
        {{"self_contact", "", 0, 1, "true: its surface may touch itself"}, &S::self_contact},
        {{"forces", "", 0, 0, "list of `{where, force, spread}`, [below](#loads)", "none"}, {}},
        {{"pressures", "", 0, 0, "list of `{where, pressure}`, [below](#loads)", "none"}, {}},
        {{"acceleration", "m/s2", 0, 0,
          "body force per mass beside gravity, world, +-1e6; may change in time, [below](#loads)",
          "[0, 0, 0]"},
         {}},
        {{"coat", "", 0, 0,
          "triangles that sensors read: `all`, `top` (pads), `{box: {min, max}}`, or a list of "
          "surface triangles `[a, b, c]`",
          "`top` of a pad, else `all`"},
         {}},
        {{"rate", "1/s", 0, 0,
          "with `sensor`, 0 to 1e6: samples per second ([rate and "
          "delay](sensors/tactile.md#rate-and-delay)), 0: always as it is now",
          "0"},
         {}},
        {{"delay", "s", 0, 0, "with `sensor`, 0 to 100: from sample to reader", "0"}, {}},
    };
    return t;
  }
};

}  // namespace haptos
