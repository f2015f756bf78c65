// SPDX-License-Identifier: Apache-2.0
#include <weft/io/npz.hpp>

#include "io/archive.hpp"
#include "io/mutate.hpp"
#include "test.hpp"

using weft::load_npz;
using weft::save_npz;
using weft::Shape;
using weft::StateDict;
using weft::Tensor;

namespace {
/// What NumPy 2.4 has written by savez and savez_compressed; scripts/make_format_tests.py.
const std::string stored = test::hex(
#include "io/npz_reference.inc"
);
const std::string compressed = test::hex(
#include "io/npz_compressed_reference.inc"
);

StateDict load(const std::string& bytes, weft::NpzOptions options = {}) {
  const test::TemporaryFolder folder;
  return load_npz(test::write_bytes(folder / "x.npz", bytes), options);
}
std::string member(const std::string& shape, const std::string& data = "1234") {
  return test::npy("|u1", "False", shape, data);
}
}  // namespace

TEST_CASE("files of NumPy") {
  for (const std::string& bytes : {stored, compressed}) {
    const StateDict dict = load(bytes);
    CHECK(dict.names() == std::vector<std::string>{"a", "b/\xc3\xa9", "fortran", "scalar", "many"});
    CHECK(dict.get<std::int32_t>("a").shape() == Shape{2, 3});
    CHECK(dict.get<std::int32_t>("a").to_vector() == std::vector<std::int32_t>{1, 2, 3, 4, 5, -6});
    CHECK(dict.get<double>("b/\xc3\xa9").shape() == Shape{2, 0});
    CHECK(dict.at("fortran").is_contiguous());
    CHECK(dict.get<double>("fortran").to_vector() == std::vector<double>{1, 2, 3, 4});
    CHECK(dict.get<bool>("scalar").item());
    const auto many = dict.get<std::uint16_t>("many");
    CHECK(many.size() == 1200);
    CHECK(many.at(899) == 2);
    CHECK(many.at(900) == 3);
  }
}

TEST_CASE("the bytes of a saved file are NumPy's") {
  const test::TemporaryFolder folder;
  const StateDict dict = load(stored);
  StateDict own;  // but for the array that NumPy keeps in Fortran order and big-endian
  for (const auto& [name, tensor] : dict) {
    if (name != "fortran") own.add(name, tensor);
  }
  save_npz(folder / "x.npz", own);
  const std::string bytes = test::read_bytes(folder / "x.npz");
  const std::size_t second = stored.find("fortran");
  CHECK(bytes.substr(0, second - 30) == stored.substr(0, second - 30));
  CHECK(bytes.find("many.npy") != std::string::npos);
}

TEST_CASE_TEMPLATE("what is saved is loaded again", D, TEST_DEVICES) {
  const test::TemporaryFolder folder;
  const auto x = weft::arange<float>(10000, D{}).reshape({100, 100});
  for (const bool compress : {false, true}) {
    save_npz(
        folder / "x.npz",
        {{"view", x.t()}, {"h", weft::tensor<weft::half>({1, 2}, D{})}, {"e", weft::ones({0})}},
        {.compress = compress});
    const StateDict back = load_npz(folder / "x.npz");
    CHECK(back.get<float>("view").to_vector() == x.t().to_vector());
    CHECK(back.get<weft::half>("h").at(1) == weft::half(2));
    CHECK(back.get<float>("e").size() == 0);
  }
  save_npz(folder / "x.npz", {});
  CHECK(load_npz(folder / "x.npz").empty());
  CHECK_SAYS("[save_npz] ", save_npz(folder / "x.npz", {{"b", weft::ones<weft::bfloat16>({1})}}));
  CHECK_SAYS("'b' has elements of type bfloat16, which .npy does not have",
             save_npz(folder / "x.npz", {{"b", weft::ones<weft::bfloat16>({1})}}));
  CHECK_SAYS("a name of 1 bytes, expected at most 65531 of UTF-8",
             save_npz(folder / "x.npz", {{"\xff", weft::ones({1})}}));
  CHECK_SAYS("a name of 65532 bytes",
             save_npz(folder / "x.npz", {{std::string(65532, 'x'), weft::ones({1})}}));
  CHECK(load_npz(folder / "x.npz").empty());
}

TEST_CASE("members that are no tensors") {
  CHECK_SAYS("[load_npz] ", load(test::archive({{"a.txt", "x"}})));
  CHECK_SAYS("a member 'a.txt', expected names that end in .npy",
             load(test::archive({{"a.txt", "x"}})));
  CHECK_SAYS("'a.npy': not a .npy file: 1 bytes", load(test::archive({{"a.npy", "x"}})));
  CHECK_SAYS("'a.npy': 4 bytes of data, expected 5 for shape (5,)",
             load(test::archive({{"a.npy", member("(5,)")}})));
  CHECK_SAYS("'a.npy': 4 bytes of data, expected 3",
             load(test::archive({{"a.npy", member("(3,)")}})));
  CHECK_SAYS("'a.npy': element type '|O8'",
             load(test::archive({{"a.npy", test::npy("|O8", "False", "(1,)", "12345678")}})));
  CHECK_SAYS("'a.npy': the bytes of shape (4611686018427387904, 4) do not fit in 63 bits",
             load(test::archive({{"a.npy", member("(4611686018427387904, 4)")}})));
  CHECK_SAYS("the name 'a.npy' appears twice",
             load(test::archive({{"a.npy", member("(4,)")}, {"a.npy", member("(4,)")}})));
  // A name is a name, not a path.
  CHECK(load(test::archive({{"../x.npy", member("(4,)")}})).names()[0] == "../x");
}

TEST_CASE("archives of more than was allowed") {
  const std::string bytes = test::archive({{"a.npy", member("(4,)")}, {"b.npy", member("(4,)")}});
  CHECK(load(bytes, {.max_bytes = 264}).size() == 2);
  CHECK_SAYS("tensors of more than 263 bytes in all: set NpzOptions{.max_bytes = ...}",
             load(bytes, {.max_bytes = 263}));
}

TEST_CASE("damaged files") {
  const auto all = [](const std::string& path) {
    for (const auto& [name, tensor] : load_npz(path)) tensor.contiguous();
  };
  CHECK(test::mutate("x.npz", compressed, all, 1 << 22) > 0);
  const std::string small = test::archive({{"a.npy", member("(4,)")}, {"b.npy", member("(2, 2)")}});
  CHECK(test::mutate("x.npz", small, all) > 8.0 / 15);
}
