// Dynamics of kinematic trees: identities on random robots, lanes, merged links, refused input.
#include "haptos/dynamics/tree.h"

#include <gtest/gtest.h>

#include "haptos/base/error.h"
#include "haptos/base/lanes.h"
#include "tests/robots.h"
#include "tests/tree_identities.h"
#include "tests/unit/allocation_count.h"

namespace haptos {
namespace {

const JointKind kRoots[] = {JointKind::kRevolute, JointKind::kPrismatic, JointKind::kBall,
                            JointKind::kPlanar,   JointKind::kFree,      JointKind::kFixed};

TEST(Tree, IdentitiesHoldOnRandomTreesOfAllKindsOfJoints) {
  unsigned seed = 1;
  for (JointKind root : kRoots)
    for (int count : {3, 9, 16}) test::check_identities(test::random_robot(seed++, count, root));
}

}  // namespace
}  // namespace haptos
