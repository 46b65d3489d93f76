// What the binding files share: arrays in and out, and one function per room of the library.
//
// In:  ArrayLike takes whatever numpy can make an array of; the functions below turn it into rows
//      of the library, and what does not fit is one InputError that names the argument.
// Out: own() hands a vector to numpy without copying; view() shows memory that `owner` keeps alive.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/mesh.h"
#include "haptos/geometry/pressure/pressure_law.h"

namespace haptos {
class Sim;
}

namespace nb = nanobind;

namespace haptos::python {

/// Anything numpy.asarray() takes.
class ArrayLike : public nb::object {
  static bool accept(nb::handle) { return true; }

 public:
  NB_OBJECT_DEFAULT(ArrayLike, nb::object, "numpy.typing.ArrayLike", accept)
};

/// A number in SI, or a text with a unit ("4 mm").
class Quantity : public nb::object {
  static bool accept(nb::handle) { return true; }

 public:
  NB_OBJECT_DEFAULT(Quantity, nb::object, "float | str", accept)
};

/// The number that it means in the SI unit `unit`; `what` names the argument in errors.
double to_quantity(nb::handle value, const char* unit, const std::string& what);

/// A number in Pa/m or a text with a unit, {"modulus": ...}, or {"pressure": rows of depth [m] and
/// pressure [Pa]}.
class Pressure : public nb::object {
  static bool accept(nb::handle) { return true; }

 public:
  NB_OBJECT_DEFAULT(Pressure, nb::object, "float | str | dict", accept)
};
PressureLaw to_pressure(nb::handle value, const std::string& what);
/// The same back: a float, or a dict of a table.
nb::object pressure_object(const PressureLaw& law);

template <class T, int... N>
using OutArray = nb::ndarray<nb::numpy, T, nb::shape<N...>, nb::c_contig>;
using PointsOut = OutArray<double, -1, 3>;
using TrianglesOut = OutArray<int, -1, 3>;

/// Rows of real numbers, (n, 3) or (n, 2); `what` names the argument in errors.
std::vector<Vec3d> to_points(const nb::object& array, const char* what);
std::vector<Vec2d> to_points2(const nb::object& array, const char* what);
/// Rows of vertex numbers, (n, 3) or (n, 4).
std::vector<Vec3i> to_triangles(const nb::object& array, const char* what);
std::vector<Vec2i> to_segments(const nb::object& array, const char* what);
std::vector<Vec4i> to_tets(const nb::object& array, const char* what);
/// Numbers in one row.
std::vector<int> to_indices(const nb::object& array, const char* what);
/// Elements may be texts with units where the SI unit is given.
std::vector<double> to_numbers(const nb::object& array, const char* what,
                               const char* unit = nullptr);
std::vector<float> to_floats(const nb::object& array, const char* what);
/// Refuses the first number of rows that is not below `count`: they name `of`, of which there are
/// so many. Every binding that takes such numbers asks this, or the library does for it.
void require_below(std::span<const int> numbers, std::size_t width, std::size_t count,
                   const char* what, const char* of);
template <class Row>
void require_below(const std::vector<Row>& rows, std::size_t count, const char* what,
                   const char* of) {
  constexpr std::size_t kWidth = sizeof(Row) / sizeof(int);
  require_below({reinterpret_cast<const int*>(rows.data()), rows.size() * kWidth}, kWidth, count,
                what, of);
}
/// The same for one number.
void require_index(int number, std::size_t count, const char* what);
/// Three numbers.
Vec3d to_vec3(const nb::object& array, const char* what, const char* unit = nullptr);
/// A position (3) [m] and a quaternion w x y z (4); None is the origin, and no turn.
Pose to_pose(const nb::object& position, const nb::object& quaternion, const char* what);

[[noreturn]] void refuse(const std::string& element, const std::string& value,
                         const std::string& rule, const std::string& remedy);

/// An InputError raised in Python as the library's own; others go on.
[[noreturn]] void rethrow(const nb::python_error& e);

/// A Python function of a path that returns a TriMesh, for whoever has given the interpreter free.
std::function<TriMesh(const std::filesystem::path&)> surface_reader(const nb::object& function);

/// What str() makes of a Python object.
std::string text_of(nb::handle object);

/// What consumers of DLPack ask of an address to read it without a copy (JAX, XLA) [byte].
constexpr std::size_t kAligned = 64;

/// A numpy array that owns `v`. Where the vector's memory is aligned it is moved and the numbers
/// stay where they are, else they are copied to memory that is.
template <class Out, class Row>
Out own(std::vector<Row> v, std::vector<std::size_t> shape) {
  if (v.empty() || reinterpret_cast<std::uintptr_t>(v.data()) % kAligned == 0) {
    auto* kept = new std::vector<Row>(std::move(v));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Row>*>(p); });
    return Out(kept->data(), shape.size(), shape.data(), owner);
  }
  constexpr std::align_val_t aligned{kAligned};
  void* copy = ::operator new(v.size() * sizeof(Row), aligned);
  std::memcpy(copy, v.data(), v.size() * sizeof(Row));
  nb::capsule owner(copy, [](void* p) noexcept { ::operator delete(p, aligned); });
  return Out(static_cast<Row*>(copy), shape.size(), shape.data(), owner);
}
inline PointsOut own_points(std::vector<Vec3d> v) {
  const std::size_t n = v.size();
  return own<PointsOut>(std::move(v), {n, 3});
}
inline TrianglesOut own_triangles(std::vector<Vec3i> v) {
  const std::size_t n = v.size();
  return own<TrianglesOut>(std::move(v), {n, 3});
}
template <class T>
OutArray<T, -1> own_row(std::vector<T> v) {
  const std::size_t n = v.size();
  return own<OutArray<T, -1>>(std::move(v), {n});
}

/// A numpy array that looks at `v`, which lives in the Python object `owner`.
template <class Out, class Row>
Out view(const std::vector<Row>& v, std::size_t width, nb::handle owner) {
  const std::size_t shape[2] = {v.size(), width};
  return Out(const_cast<Row*>(v.data()), 2, shape, owner);
}

/// For properties that return arrays: the array brings its own owner.
constexpr auto kArray = nb::rv_policy::automatic;

nb::tuple vec3(const Vec3d& v);
/// Position and quaternion in one row of seven: x y z, w x y z.
OutArray<double, 7> pose_row(const Pose& pose);

/// What touched the nodes of a soft body, and its stress per element and node (signals.cpp).
nb::dict nodal_contact_dict(const Sim& sim, const std::string& soft);
nb::tuple stress_pair(const Sim& sim, const std::string& soft);

// One per file of this folder.
void bind_errors(nb::module_& m);
void bind_options(nb::module_& m);
void bind_mesh(nb::module_& m);
void bind_mesh_check(nb::module_& m);
void bind_shapes(nb::module_& m);
void bind_robot(nb::module_& m);
void bind_robot_parts(nb::module_& m);
void bind_robot_shape(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_xml(nb::module_& m);
void bind_fields(nb::module_& m);
void bind_scene(nb::module_& m);
void bind_scene_robots(nb::module_& m);
void bind_robot_sensors(nb::module_& m);
void bind_sim(nb::module_& m);
void bind_sensors(nb::module_& m);
void bind_tactile_rgb(nb::module_& m);
void bind_signals(nb::module_& m);
void bind_tactile(nb::module_& m);
void bind_taxels(nb::module_& m);
void bind_material_points(nb::module_& m);
void bind_image(nb::module_& m);
void bind_distance_field(nb::module_& m);
void bind_layer(nb::module_& m);
void bind_render(nb::module_& m);
void bind_cameras(nb::module_& m);

}  // namespace haptos::python
