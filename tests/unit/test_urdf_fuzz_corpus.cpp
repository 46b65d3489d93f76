// Every seed of the URDF fuzzer, and fixed mutations of each, through the reader: good seeds are
// read, broken ones refused, and nothing but InputError ever escapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "tests/fuzz/fuzz_urdf.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> seeds() {
  std::vector<fs::path> all;
  const fs::path folder =
      fs::path(__FILE__).parent_path().parent_path() / "fuzz" / "corpus" / "urdf";
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

// Flipped bytes, cuts, doubled and removed pieces, and pieces that mean something to the reader.
std::string mutated(std::string s, std::mt19937& random) {
  static const char* kPieces[] = {"<link name=\"a\"/>",
                                  "</link>",
                                  "<mimic joint=\"k\"/>",
                                  "-1",
                                  "1e309",
                                  "nan",
                                  "inf",
                                  "0",
                                  "\"",
                                  "<!--",
                                  "]]>",
                                  "&#0;",
                                  "&#9;",
                                  "<origin xyz=\"1e5 0 0\"/>",
                                  "type=\"floating\"",
                                  "<limit/>"};
  const auto below = [&](std::size_t n) { return n ? random() % n : 0; };
  for (unsigned k = 1 + random() % 3; k > 0; --k) {
    const std::size_t at = below(s.size() + 1),
                      n = below(std::min<std::size_t>(60, s.size() - at) + 1);
    switch (random() % 5) {
      case 0:
        if (at < s.size()) s[at] = static_cast<char>(random());
        break;
      case 1:
        s.erase(at, n);
        break;
      case 2:
        s.insert(below(s.size() + 1), s.substr(at, n));
        break;
      case 3:
        s.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      default:
        // A number for another.
        if (const std::size_t d = s.find_first_of("0123456789", at); d != s.npos)
          s.replace(d, 1, kPieces[3 + below(5)]);
    }
  }
  return s;
}

TEST(UrdfFuzzCorpus, GoodSeedsAreReadAndBrokenOnesRefused) {
  const std::vector<fs::path> all = seeds();
  ASSERT_GT(all.size(), 30u);
  for (const fs::path& p : all)
    EXPECT_EQ(fuzz::urdf(read_regular_file(p, 1 << 20)), p.filename().string().starts_with("good"))
        << p.filename();
}

TEST(UrdfFuzzCorpus, MutationsAreReadOrRefused) {
  std::mt19937 random(7);
  int read = 0, refused = 0;
  for (const fs::path& p : seeds()) {
    const std::string seed = read_regular_file(p, 1 << 20);
    const int mutations = p.filename().string().starts_with("good") ? 2000 : 200;
    for (int k = 0; k < mutations; ++k) (fuzz::urdf(mutated(seed, random)) ? read : refused)++;
  }
  // Both outcomes must be common, or the mutations test nothing.
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 10'000);
}

}  // namespace
}  // namespace haptos
