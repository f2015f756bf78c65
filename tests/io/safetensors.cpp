// SPDX-License-Identifier: Apache-2.0
#include <weft/io/safetensors.hpp>

#include <limits>

#include "io/mutate.hpp"
#include "test.hpp"

using weft::load_safetensors;
using weft::save_safetensors;
using weft::Shape;
using weft::StateDict;
using weft::Tensor;
using namespace std::string_literals;
using test::hex;

namespace {

/// What safetensors 0.8 (Python) has written; scripts/make_format_tests.py makes it.
const std::string reference = hex(
#include "io/safetensors_reference.inc"
);

StateDict reference_tensors() {
  StateDict dict{
      {"weight", weft::tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, -6.5F}})},
      {"bias", weft::tensor({1.0, -1.0})},
      {"a/\xc3\xa9\n\"\\\x01\x7f", weft::full<std::int64_t>({}, 7)},
      {"step", weft::tensor<std::uint64_t>({9})},
      {"mask", weft::tensor({true, false})},
      {"empty", weft::empty<float>({0, 3})},
      {"half", weft::tensor<weft::half>({1, -2, 65504})},
      {"u8", weft::tensor<std::uint8_t>({255})},
      {"i8", weft::tensor<std::int8_t>({-1})},
      {"i16", weft::tensor<std::int16_t>({-2})},
      {"u16", weft::tensor<std::uint16_t>({65535})},
      {"i32", weft::tensor<std::int32_t>({-3})},
      {"u32", weft::tensor<std::uint32_t>({3})},
      {"c64", weft::tensor({weft::complex<float>(1, 2)})},
  };
  dict.metadata["format"] = "weft";
  return dict;
}

bool same(const weft::AnyTensor& a, const weft::AnyTensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.bytes() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

}  // namespace

TEST_CASE("a file of the reference library") {
  const test::TemporaryFolder folder;
  const std::string path = test::write_bytes(folder / "x.safetensors", reference);
  const StateDict expected = reference_tensors();
  const StateDict dict = load_safetensors(path);
  CHECK(dict.size() == expected.size());
  CHECK(dict.metadata == expected.metadata);
  CHECK(dict.names().front() == "step");
  for (const StateDict::Entry& entry : expected) {
    CAPTURE(entry.first);
    REQUIRE(dict.contains(entry.first));
    CHECK(same(dict.at(entry.first), entry.second));
  }
  CHECK(dict.get<weft::half>("half").at(2) == weft::half(65504));

  save_safetensors(folder / "y.safetensors", expected);
  CHECK(test::read_bytes(folder / "y.safetensors") == reference);
}

TEST_CASE("some tensors of a file") {
  const test::TemporaryFolder folder;
  const weft::SafetensorsFile file(test::write_bytes(folder / "x", reference));
  CHECK(file.entries().size() == 14);
  CHECK(file.metadata().at("format") == "weft");
  CHECK(file.contains("bias"));
  CHECK(file.load("bias").get<double>().to_vector() == std::vector<double>{1, -1});
  CHECK_SAYS("x: no tensor named 'none'", file.load("none"));
}

TEST_CASE("types that weft does not have are refused when they are loaded") {
  const test::TemporaryFolder folder;
  const std::string header = R"({"q":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},)"
                             R"("x":{"dtype":"BOOL","shape":[2],"data_offsets":[2,4]}}  )";
  const std::string path = test::write_bytes(
      folder / "x", static_cast<char>(header.size()) + std::string(7, '\0') + header + "\1\1\2\0"s);
  CHECK_SAYS("'q' has elements of type F8_E4M3, which weft does not have", load_safetensors(path));
  const auto x = weft::SafetensorsFile(path).load("x").get<bool>();
  CHECK(x.to_vector() == std::vector<bool>{true, false});
  CHECK(*reinterpret_cast<const unsigned char*>(x.data()) == 1);  // 2 is true, and then 1
}

TEST_CASE_TEMPLATE("tensors, views and special values come back", D, TEST_DEVICES) {
  const test::TemporaryFolder folder;
  const auto x = weft::arange<float>(12, D{}).reshape({3, 4});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const StateDict dict{
      {"view", x.t()},
      {"row", x(1)},
      {"bf16", weft::tensor<weft::bfloat16>({1, -3}, D{})},
      {"special", weft::tensor({nan, -nan, -0.F, std::numeric_limits<float>::infinity()}, D{})}};
  save_safetensors(folder / "x", dict);
  const StateDict back = load_safetensors(folder / "x");
  CHECK(back.get<float>("view").to_vector() == x.t().to_vector());
  CHECK(back.get<float>("row").to_vector() == std::vector<float>{4, 5, 6, 7});
  CHECK(back.get<weft::bfloat16>("bf16").at(1) == weft::bfloat16(-3));
  CHECK(same(back.at("special"), dict.at("special").cpu()));
  CHECK(back.at("view").to<float>(D{}).shape() == Shape{4, 3});
}

TEST_CASE("what cannot be saved leaves the old file as it is") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.safetensors";
  save_safetensors(path, {{"x", weft::ones({1})}});
  const std::string old = test::read_bytes(path);
  CHECK_SAYS("[save_safetensors] ",
             save_safetensors(path, {{"x", weft::empty<weft::complex<double>>({1})}}));
  CHECK_SAYS("'x' has elements of type complex128, which safetensors do not have",
             save_safetensors(path, {{"x", weft::empty<weft::complex<double>>({1})}}));
  CHECK_SAYS("a tensor may not be named '__metadata__'",
             save_safetensors(path, {{"__metadata__", weft::ones({1})}}));
  CHECK_SAYS("a tensor may not be named 'xxx",
             save_safetensors(path, {{std::string(4097, 'x'), weft::ones({1})}}));
  CHECK_SAYS("is not UTF-8", save_safetensors(path, {{"\xff", weft::ones({1})}}));
  CHECK_SAYS("is not UTF-8", save_safetensors(path, {{"a\0b"s, weft::ones({1})}}));
  StateDict dict;
  dict.metadata["k"] = "\x80";
  CHECK_SAYS("is not UTF-8", save_safetensors(path, dict));
  CHECK_SAYS("No such file", save_safetensors(folder / "none/x", {}));
  CHECK(test::read_bytes(path) == old);
  CHECK(folder.files() == 1);
}

TEST_CASE("no tensors") {
  const test::TemporaryFolder folder;
  save_safetensors(folder / "x", {});
  CHECK(test::read_bytes(folder / "x") == std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  CHECK(load_safetensors(folder / "x").empty());
}

TEST_CASE("damaged files") {
  const double refused = test::mutate("x", reference, [](const std::string& path) {
    for (const auto& [name, tensor] : load_safetensors(path)) tensor.contiguous();
  });
  CHECK(refused > 10.0 / 15);
}
