// Elementary functions, options, status, reductions, arrays, batches of kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/array.h"
#include "haptos/base/math/elementary.h"
#include "haptos/base/math/rotation.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/status.h"
#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/scene/parts/material.h"
#include "haptos/sim/batch/kernel_batch.h"
#include "tests/support.h"

namespace haptos {
namespace {

TEST(Elementary, LogIsWithinTwoUlpsOfTheLibrary) {
  test::Random random(1);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = std::exp(20 * random());
    const double exact = std::log(x);
    worst = std::max(worst, std::abs(log_(x) - exact) / (std::abs(exact) * 2.3e-16 + 1e-300));
  }
  EXPECT_LE(worst, 2.0);
  EXPECT_EQ(log_(1.0), 0.0);
}

TEST(Elementary, LogKeepsItsDigitsNearOne) {
  for (double e : {1e-3, 1e-6, 1e-9, 1e-12})
    EXPECT_NEAR(log_(1 + e) / std::log1p((1 + e) - 1), 1, 1e-15);
}

TEST(Elementary, SineAndCosineAgreeWithTheLibrary) {
  test::Random random(2);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = (i % 2 ? 4.0 : 1000.0) * random();
    double s, c;
    sin_cos(x, s, c);
    worst = std::max({worst, std::abs(s - std::sin(x)), std::abs(c - std::cos(x))});
  }
  EXPECT_LE(worst, 1e-15);
}

TEST(Elementary, LanesEqualScalars) {
  using P = Pack<double, 8>;
  P x;
  for (int l = 0; l < 8; ++l) x.set(l, 0.1 + 0.37 * l);
  const P y = log_(x);
  for (int l = 0; l < 8; ++l) EXPECT_EQ(y[l], log_(x[l]));
}

TEST(Elementary, SineAndCosineOfLanesEqualScalarsInEveryQuadrant) {
  using P = Pack<double, 8>;
  for (int i = -40; i < 40; ++i) {
    P x, s, c;
    for (int l = 0; l < 8; ++l) x.set(l, 0.1963495408493621 * (8 * i + l));
    sin_cos(x, s, c);
    for (int l = 0; l < 8; ++l) {
      double sl, cl;
      sin_cos(x[l], sl, cl);
      EXPECT_EQ(s[l], sl);
      EXPECT_EQ(c[l], cl);
      EXPECT_NEAR(s[l], std::sin(x[l]), 1e-15);
      EXPECT_NEAR(c[l], std::cos(x[l]), 1e-15);
    }
  }
}

TEST(Rotation, InterpolationMeetsItsEndsAndTurnsAtConstantRate) {
  Pose a, b;
  b.p = {{1, 2, 3}};
  b.q = rotation_by({{0, 0, 1.2}});
  for (double s : {0.0, 0.25, 0.5, 1.0}) {
    const Pose m = interpolate(a, b, s);
    const Vec3d x = to_matrix(m.q) * Vec3d{{1, 0, 0}};
    EXPECT_NEAR(x[0], std::cos(1.2 * s), 1e-15);
    EXPECT_NEAR(x[1], std::sin(1.2 * s), 1e-15);
    EXPECT_NEAR(m.p[2], 3 * s, 1e-15);
  }
}

TEST(Diagnostic, ASentenceEndsOnceWhateverItsPartsEndWith) {
  const auto sentence = [](const char* rule, const char* remedy) {
    return Diagnostic{"a.yaml", 3, 0, "x", "1", rule, remedy}.sentence();
  };
  EXPECT_EQ(sentence("must be 2", "write 2"), "a.yaml:3: x = 1: must be 2; write 2.");
  EXPECT_EQ(sentence("must be 2.", "write 2."), "a.yaml:3: x = 1: must be 2; write 2.");
  EXPECT_EQ(sentence("must be 2.", ""), "a.yaml:3: x = 1: must be 2.");
  EXPECT_EQ(sentence("must be 2", "did you mean \"y\"?"),
            "a.yaml:3: x = 1: must be 2; did you mean \"y\"?");
  EXPECT_EQ(sentence("must be 2", "known is abc..."),
            "a.yaml:3: x = 1: must be 2; known is abc...");
  EXPECT_EQ((Diagnostic{"", 0, 0, "x", "a...", "", ""}.sentence()), "x = a...");
}

TEST(Options, DefaultsAreInRangeAndErrorsNameRangeAndUnit) {
  Material m;
  EXPECT_NO_THROW(check_options(m));
  set_option(m, "young", 2e5);
  EXPECT_EQ(m.young, 2e5);
  for (double bad : {-1.0, 0.0, std::nan(""), HUGE_VAL}) try {
      set_option(m, "young", bad, {"scene.yaml", 12, 0, "", "", "", ""});
      FAIL() << "accepted " << bad;
    } catch (const InputError& e) {
      const std::string s = e.what();
      EXPECT_NE(s.find("scene.yaml:12"), std::string::npos) << s;
      EXPECT_NE(s.find("material.young"), std::string::npos) << s;
      EXPECT_NE(s.find("Pa"), std::string::npos) << s;
    }
  EXPECT_EQ(m.young, 2e5);
}

TEST(Options, UnknownNamesGetTheNearestOne) {
  Material m;
  try {
    set_option(m, "yuong", 1e5);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "material.yuong: unknown option; did you mean \"young\"?");
  }
  EXPECT_EQ(nearest_name("sizee", {"size", "mass"}), "size");
  EXPECT_EQ(nearest_name("zzzzzzzz", {"size", "mass"}), "");
}

TEST(Options, WholeNumbersRefuseFractions) {
  Material m;
  EXPECT_THROW(set_option(m, "law", 0.5), InputError);
  EXPECT_NO_THROW(set_option(m, "law", 1));
}

TEST(Options, AChoiceIsSetByNameOrNumberAndEveryLawHasAName) {
  EXPECT_EQ(split_words("a bc d"), (std::vector<std::string>{"a", "bc", "d"}));
  EXPECT_TRUE(split_words("").empty());
  Material m;
  for (const Option<Material>& o : OptionsOf<Material>::table()) {
    if (std::string(o.name) != "law") continue;
    const std::vector<std::string> words = split_words(o.words);
    ASSERT_EQ(words.size(), static_cast<std::size_t>(kElasticLawCount));
    EXPECT_EQ(o.hi, kElasticLawCount - 1);
    set_option_word(m, o, "fixed_corotated");
    EXPECT_EQ(m.law, static_cast<int>(ElasticLaw::kFixedCorotated));
    try {
      set_option_word(m, o, "mony_rivlin");
      FAIL();
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("did you mean \"mooney_rivlin\""), std::string::npos)
          << e.what();
    }
  }
  try {
    set_option(m, "law", kElasticLawCount);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("linear (4)"), std::string::npos) << e.what();
  }
}

TEST(Status, EveryBitHasASentenceAndARemedy) {
  std::uint32_t all = 0;
  for (const StatusText& t : status_table()) {
    EXPECT_EQ(all & t.bit, 0u);
    all |= t.bit;
    EXPECT_GT(std::string(t.remedy).size(), 10u);
  }
  EXPECT_EQ(describe_status(0), "ok");
  EXPECT_NE(describe_status(kNotConverged | kTargetMissed).find("target_missed"),
            std::string::npos);
}

TEST(Parallel, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  test::Random random(3);
  std::vector<double> v(100000);
  for (double& x : v) x = random() * std::exp(10 * random());
  auto sum = [&] {
    return reduce_sum(static_cast<std::ptrdiff_t>(v.size()),
                      [&](std::ptrdiff_t i) { return v[static_cast<std::size_t>(i)]; });
  };
  set_thread_count(1);
  const double one = sum();
  for (int n : {2, 3, 8}) {
    set_thread_count(n);
    EXPECT_EQ(sum(), one);
  }
  set_thread_count(0);
}

TEST(Array, KnowsItsMemorySpaceAndRoundTrips) {
  const std::vector<double> v = {1, 2, 3};
  const Array<double> a(v, MemorySpace::kHost);
  EXPECT_EQ(a.space(), MemorySpace::kHost);
  EXPECT_EQ(a.to_host(), v);
  if (!device_available()) {
    EXPECT_THROW(Array<double>(v, MemorySpace::kDevice), std::bad_alloc);
  }
}

TEST(KernelBatch, HostBatchGivesTheBarrierOfTheDistance) {
  // A point 0.3 mm above the middle of a triangle.
  const std::vector<double> x = {0.2e-3, 0.2e-3, 0.3e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3, 0};
  const Array<double> in(x, MemorySpace::kHost);
  Array<double> d(1), b(3), h(144);
  evaluate_batch({{in.view().data, 12, MemorySpace::kHost}, 1e-3, d.view(), b.view(), h.view()});
  EXPECT_NEAR(d.view()[0], 0.3e-3, 1e-18);
  const BarrierValue<double> v = barrier(d.view()[0], 1e-3);
  EXPECT_EQ(b.view()[0], v.value);
  EXPECT_EQ(b.view()[1], v.first);
}

}  // namespace
}  // namespace haptos
