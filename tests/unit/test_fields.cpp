// Tables of fields: what holds for each of them, and for pairs' models of contact.
#include <gtest/gtest.h>

#include <set>

#include "haptos/scene/parts/field_rules.h"
#include "haptos/sim/model/pair_models.h"
#include "tests/robots.h"

namespace haptos {
namespace {

template <class S>
void hold_table(const char* kind) {
  std::set<std::string> names;
  for (const Field<S>& row : FieldsOf<S>::table()) {
    EXPECT_TRUE(names.insert(row.name).second) << kind << " " << row.name << " twice";
    EXPECT_LE(row.lo, row.hi) << kind << " " << row.name;
    const std::string text = row.meaning;
    EXPECT_TRUE(text.empty() || text.back() != '.') << kind << " " << row.name;
  }
  for (const Field<S>& row : FieldsOf<S>::table()) {
    if (*row.excludes) EXPECT_TRUE(names.count(row.excludes)) << kind << " " << row.name;
    if (*row.needs) EXPECT_TRUE(names.count(row.needs)) << kind << " " << row.name;
  }
  // What a person leaves out is right.
  const S fresh{};
  each_field(fresh, [&](const FieldInfo& row, const auto& value) {
    if (!(row.marks & kNeeded)) EXPECT_NO_THROW(check_value(row, row.name, value)) << kind;
  });
}

TEST(Fields, TablesHoldTogetherAndDefaultsAreInRange) {
  hold_table<SoftBody>("soft");
  hold_table<PrescribedBody>("prescribed");
  hold_table<AffineBody>("affine");
  hold_table<HalfSpace>("half_spaces");
  hold_table<RobotBody>("robots");
  hold_table<RobotContact>("robot contact");
  hold_table<RigidSpec>("rigid");
  hold_table<RigidMotion>("rigid motion");
  hold_table<Ball>("spheres");
  hold_table<PairOptions>("pairs");
}

TEST(Fields, ANumberOutOfItsRangeIsRefusedWithTheRange) {
  AffineBody b;
  for (const double wrong : {0.0, -1.0, 1e15, std::nan("")}) {
    b.stiffness = wrong;
    try {
      check_fields("affine body \"b\"", b);
      ADD_FAILURE() << wrong;
    } catch (const InputError& e) {
      EXPECT_EQ(e.diagnostic.element, "affine body \"b\" stiffness");
      EXPECT_EQ(e.diagnostic.rule, "must be from 1 to 1e+14 Pa");
    }
  }
}

TEST(Fields, OnlyMarkedOnesAreOfAStatesIdentity) {
  const auto hash = [](const AffineBody& b) {
    Hash h;
    hash_fields(h, b);
    return h.value();
  };
  AffineBody a, b;
  b.force = {{1, 2, 3}};
  b.velocity = {{1, 0, 0}};
  EXPECT_EQ(hash(a), hash(b));
  b.stiffness = 2e8;
  EXPECT_NE(hash(a), hash(b));
  AffineBody c;
  c.guide = Vec3d{{0, 0, 1}};
  EXPECT_NE(hash(a), hash(c));
}

TEST(PairModels, EveryTwoKindsHaveOneRow) {
  std::set<std::pair<PairKind, PairKind>> seen;
  for (const PairModels& row : pair_model_table())
    EXPECT_TRUE(seen.insert(std::minmax(row.a, row.b)).second);
  EXPECT_EQ(seen.size(), 28u);
}

Scene two_floors_and_a_ball() {
  Scene s;
  s.half_spaces.push_back({"floor", {}, "ground", {{0, 0, 1}}, 0});
  s.robots.push_back(test::rigid_ball("ball", 0.1, 1, {{0, 0, 1}}));
  return s;
}

TEST(PairModels, AWordThatNoTwoOfThemTakeIsRefusedWithWhatTheyTake) {
  Scene s = two_floors_and_a_ball();
  s.pairs.push_back({"ball", "ground", true});
  s.pairs[0].model = static_cast<int>(PairModel::kPoint);
  EXPECT_NO_THROW(validate(s));
  s.pairs[0].model = static_cast<int>(PairModel::kMortar);
  try {
    validate(s);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("a robot and a half-space take point"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace haptos
