// A bolt and a nut with an ISO metric screw thread: closed triangle surfaces for contact.
//
// Basic profile (ISO 68-1) about the axis z, pitch P, H = sqrt(3)/2 P, flanks at 30 degrees to a
// plane normal to the axis, right-handed:
//
//   major radius  R = d / 2                  flat of the bolt's crest     P / 8
//   minor radius  r = d / 2 - 5/8 H          flat of the nut's crest      P / 4
//
// The allowance a moves the whole profile by a along its normal, into the material: radii by a, the
// half widths of flats by a tan(30). A bolt and a nut that are coaxial and centred on each other
// are a_bolt + a_nut apart on crests, roots and flanks (on flanks, times the cosine of the lead).
//
// The thread is a radius over (angle, z): columns at equal angles, each with the corners of the
// profile at their heights, joined along the helices. Corners lie on the exact helicoid, so facets
// between them are up to R (2 pi / n)^2 / 8 inside. The threads end at flat faces. A crest of the
// bolt, and a groove of the nut, is centred at angle 0, z = 0: a nut shifted by k P along the axis,
// or by a part of a turn and the same part of P, fits.
#pragma once

#include "haptos/geometry/mesh.h"

namespace haptos {

struct Thread {
  double diameter = 20e-3;  ///< major diameter d [m]
  double pitch = 2.5e-3;    ///< advance of one turn [m]
  double allowance = 0;     ///< of this part, normal to its surface [m]
  int segments = 72;        ///< columns per turn
};

/// A bolt: thread from z = 0 to z = length, below it a hexagonal head down to z = -head_height, its
/// flats normal to x. A head height of 0 leaves the threaded rod alone.
/// Throws InputError for a thread that cannot be: naming what is out of range.
TriMesh iso_bolt(const Thread& thread, double length, double across_flats, double head_height);

/// A hexagonal nut from z = 0 to z = height, its flats normal to x.
/// Throws InputError for a thread that cannot be.
TriMesh iso_nut(const Thread& thread, double height, double across_flats);

}  // namespace haptos
