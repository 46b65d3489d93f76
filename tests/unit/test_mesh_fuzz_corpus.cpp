// Every seed of the fuzzers, and thousands of fixed mutations of each, through the readers: good
// seeds are read, broken ones refused, and nothing but InputError ever escapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>

#include "tests/fuzz/fuzz_mesh.h"

namespace haptos {
namespace {

std::filesystem::path corpus() {
  return std::filesystem::path(__FILE__).parent_path().parent_path() / "fuzz" / "corpus";
}

const std::map<std::string, MeshFormat> kFormats = {
    {"obj", MeshFormat::kObj}, {"stl", MeshFormat::kStl}, {"ply", MeshFormat::kPly},
    {"off", MeshFormat::kOff}, {"vtk", MeshFormat::kVtk}, {"gmsh", MeshFormat::kGmsh}};

bool is_read(std::string_view bytes, MeshFormat format) {
  return format == MeshFormat::kVtk || format == MeshFormat::kGmsh ? fuzz::volume(bytes, format)
                                                                   : fuzz::surface(bytes, format);
}

struct Seed {
  std::string name;
  MeshFormat format;
  std::string bytes;
};

std::vector<Seed> seeds() {
  std::vector<Seed> all;
  for (const auto& [folder, format] : kFormats)
    for (const auto& entry : std::filesystem::directory_iterator(corpus() / folder))
      all.push_back({folder + "/" + entry.path().filename().string(), format,
                     read_regular_file(entry.path(), 1 << 20)});
  std::sort(all.begin(), all.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return all;
}

bool is_good(const Seed& s) { return s.name.find("/good") != std::string::npos; }

TEST(MeshFuzzCorpus, GoodSeedsAreReadAndBrokenOnesRefused) {
  const std::vector<Seed> all = seeds();
  ASSERT_GT(all.size(), 150u);
  for (const Seed& s : all) {
    EXPECT_EQ(is_read(s.bytes, s.format), is_good(s)) << s.name;
  }
}

// Small changes that keep most of a file intact: flipped bits, cuts, doubled and moved pieces,
// numbers at the edge of their range.
std::string mutated(const std::string& seed, std::mt19937& random) {
  static const std::string kPieces[] = {"-1",
                                        "0",
                                        "2147483647",
                                        "4294967295",
                                        "1e999",
                                        "nan",
                                        "-",
                                        "\n",
                                        " ",
                                        "\\\n",
                                        "/",
                                        "#",
                                        "1e39",
                                        "$Nodes",
                                        "9223372036854775807",
                                        "\xff\xff\xff\xff",
                                        std::string(8, '\0')};
  std::string s = seed;
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t changes = 1 + below(2); changes > 0; --changes) {
    const std::size_t at = below(s.size()), n = below(std::min<std::size_t>(s.size() - at, 24) + 1);
    switch (below(6)) {
      case 0:
        if (!s.empty()) s[at] = static_cast<char>(s[at] ^ (1 << below(8)));
        break;
      case 1:
        s.resize(at);
        break;
      case 2:
        s.erase(at, n);
        break;
      case 3:
        s.insert(at, s.substr(at, n));
        break;
      case 4:
        s.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      default:
        s.replace(at, n, kPieces[below(std::size(kPieces))]);
    }
  }
  return s;
}

TEST(MeshFuzzCorpus, NothingButInputErrorEscapesFromMutatedSeeds) {
  std::mt19937 random(12345);  // the sequence of mt19937 is the same everywhere
  long read = 0, refused = 0;
  for (const Seed& s : seeds()) {
    const int mutations = is_good(s) ? 3000 : 500;
    for (int i = 0; i < mutations; ++i)
      (is_read(mutated(s.bytes, random), s.format) ? read : refused) += 1;
  }
  std::printf("%ld mutations read, %ld refused\n", read, refused);
  // Both outcomes must be common, or the mutations test nothing.
  EXPECT_GT(read, 10'000);
  EXPECT_GT(refused, 100'000);
}

}  // namespace
}  // namespace haptos
