// What the files that bind robots share: names of kinds, and lists of elements that stay where they
// are while Python looks at them.
#pragma once

#include <cmath>
#include <limits>

#include "bind.h"
#include "haptos/scene/robot/robot.h"

namespace haptos::python {

constexpr const char* kJointKinds[] = {"fixed", "revolute", "prismatic", "ball", "planar", "free"};
constexpr const char* kClosureKinds[] = {"weld", "ball", "distance", "coupler"};
constexpr const char* kShapeKinds[] = {"sphere",    "box",        "capsule", "cylinder", "cone",
                                       "ellipsoid", "half_space", "hull",    "mesh",     "field"};

/// The number of a kind by its name.
template <class Kind, std::size_t N>
Kind to_kind(const std::string& name, const char* const (&names)[N], const char* what) {
  std::string all;
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) return static_cast<Kind>(i);
    all += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(names[i]);
  }
  refuse(what, name, "must be " + all, "");
}

using Row3 = OutArray<double, 3>;
inline Row3 row3(const Vec3d& v) { return own<Row3>(std::vector<double>{v[0], v[1], v[2]}, {3}); }

/// A pose from seven numbers, x y z [m], w x y z; None: no motion. The quaternion is normalised.
Pose to_pose_row(const nb::object& row, const char* what);

/// Elements of a vector that lives in `self`, as Python objects that look into it.
template <class T>
nb::tuple references(std::vector<T>& items, nb::handle self) {
  nb::list out;
  for (T& item : items) out.append(nb::cast(&item, nb::rv_policy::reference_internal, self));
  return nb::tuple(out);
}

/// Copies of Python's elements. (A vector caster would do, and say less about what is wrong.)
template <class T>
std::vector<T> copies(const nb::object& items, const char* what, const char* element) {
  std::vector<T> out;
  if (items.is_none()) return out;
  const auto wrong = [&](const std::string& value) {
    refuse(what, value, std::string("must be a sequence of haptos.") + element, "");
  };
  if (!nb::isinstance<nb::sequence>(items)) wrong(text_of(items.type()));
  for (nb::handle item : items) {
    if (!nb::isinstance<T>(item)) wrong(text_of(item.type()));
    out.push_back(nb::cast<const T&>(item));
  }
  return out;
}

/// Exchanges the elements of `items`, a member of `self`. Python objects that look at the elements
/// so far stay valid: what they look at lives as long as `self`, and no longer belongs to it.
template <class T>
void replace(std::vector<T>& items, std::vector<T> fresh, nb::handle self) {
  items.swap(fresh);
  if (fresh.empty()) return;
  // A vector that is moved keeps its elements where they are.
  self.attr("_keep")(nb::capsule(new std::vector<T>(std::move(fresh)),
                                 [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); }));
}

/// What replace() needs of a class that has elements.
template <class Class>
void def_keep(Class& c) {
  c.def(
      "_keep", [](nb::handle, const nb::capsule&) {}, nb::keep_alive<1, 2>());
}

/// A property of elements that may be exchanged, read as a tuple.
template <class Class, class Owner, class T>
void def_elements(Class& c, const char* name, std::vector<T> Owner::*member, const char* element,
                  const char* doc) {
  const std::string get = "def " + std::string(name) + "(self) -> tuple[" + element + ", ...]";
  const std::string set = "def " + std::string(name) + "(self, value: collections.abc.Sequence[" +
                          element + "] | None, /) -> None";
  c.def_prop_rw(
      name, [member](nb::handle self) { return references(nb::cast<Owner&>(self).*member, self); },
      [member, name, element](nb::handle self, const nb::object& items) {
        replace(nb::cast<Owner&>(self).*member, copies<T>(items, name, element), self);
      },
      nb::for_getter(nb::sig(get.c_str())), nb::for_setter(nb::sig(set.c_str())),
      nb::for_setter(nb::arg("value").none()), doc);
}

}  // namespace haptos::python
