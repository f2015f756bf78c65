// SPDX-License-Identifier: Apache-2.0
#include <weft/io/npy.hpp>

#include <vector>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::load_npy;
using weft::save_npy;
using weft::Shape;
using weft::Tensor;

namespace {

/// The bytes that hexadecimal digits stand for.
std::string hex(const std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    out += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return out;
}

template <class T>
Tensor<T> load(const std::string& bytes) {
  const test::TemporaryFolder folder;
  return load_npy<T>(test::write_bytes(folder / "x.npy", bytes));
}

}  // namespace

TEST_CASE("files that NumPy 2.4 has written") {
  const auto x = load<float>(
      test::npy("<f4", "False", "(2, 3)", hex("0000803f0000004000004040000080400000a0400000d0c0")));
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.to_vector() == std::vector<float>{1, 2, 3, 4, 5, -6.5F});

  // np.asfortranarray(np.array([[1, 2, 3], [4, 5, 6]], '>f8'))
  const auto y = load<double>(test::npy(">f8", "True", "(2, 3)",
                                        hex("3ff0000000000000401000000000000040000000000000004014"
                                            "00000000000040080000000000004018000000000000")));
  CHECK(y.shape() == Shape{2, 3});
  CHECK(y.is_contiguous());
  CHECK(y.to_vector() == std::vector<double>{1, 2, 3, 4, 5, 6});

  const auto z =
      load<weft::complex<float>>(test::npy(">c8", "False", "()", hex("3f80000040000000")));
  CHECK(z.rank() == 0);
  CHECK(z.item() == weft::complex<float>(1, 2));

  const auto h = load<weft::half>(test::npy("<f2", "False", "(3,)", hex("003c00c0ff7b")));
  CHECK(h.to_vector() == std::vector<weft::half>{weft::half(1), weft::half(-2), weft::half(65504)});

  const std::string header = "{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }";
  const std::string padded = header + std::string(115 - header.size(), ' ') + "\n";
  for (char version : {2, 3}) {
    const std::string start = std::string("\x93NUMPY") + version + std::string("\0\x74\0\0\0", 5);
    CHECK(load<std::uint32_t>(start + padded + hex("01000000")).item() == 1);
  }
}

TEST_CASE("big-endian integers and single bytes") {
  CHECK(load<std::int16_t>(test::npy(">i2", "False", "(2,)", hex("0102fffe"))).to_vector() ==
        std::vector<std::int16_t>{0x0102, -2});
  CHECK(load<std::int64_t>(test::npy(">i8", "False", "(1,)", hex("0102030405060708"))).item() ==
        0x0102030405060708);
  for (const char* descr : {">u1", "<u1", "|u1", "=u1"}) {
    CHECK(load<std::uint8_t>(test::npy(descr, "False", "(1,)", hex("fe"))).item() == 254);
  }
  const auto complex = load<weft::complex<double>>(
      test::npy(">c16", "False", "(1,)", hex("3ff00000000000004000000000000000")));
  CHECK(complex.item() == weft::complex<double>(1, 2));
}

TEST_CASE("Fortran order of three axes") {
  const auto x =
      load<std::uint8_t>(test::npy("|u1", "True", "(2, 3, 2)", hex("000102030405060708090a0b")));
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 2; ++k) CHECK(x.at(i, j, k) == i + 2 * j + 6 * k);
    }
  }
  CHECK(load<std::uint8_t>(test::npy("|u1", "True", "(0, 3)", "")).shape() == Shape{0, 3});
  CHECK(load<std::uint8_t>(test::npy("|u1", "True", "()", "\5")).item() == 5);
}

TEST_CASE("a bool that is neither 0 nor 1 is true") {
  const auto x = load<bool>(test::npy("|b1", "False", "(4,)", hex("000102ff")));
  CHECK(x.to_vector() == std::vector<bool>{false, true, true, true});
  CHECK(*reinterpret_cast<const unsigned char*>(x.data() + 3) == 1);
}

TEST_CASE("element types do not convert silently") {
  const std::string bytes = test::npy("<f8", "False", "(1,)", "12345678");
  CHECK_SAYS("x.npy: elements of type float64, expected float32: load that type and cast",
             load<float>(bytes));
  CHECK_SAYS("elements of type bool, expected uint8",
             load<std::uint8_t>(test::npy("|b1", "False", "(1,)", "\1")));
}

TEST_CASE("data that do not fit the shape") {
  CHECK_SAYS("[load_npy] ", load<float>(test::npy("<f4", "False", "(2,)", "1234")));
  CHECK_SAYS("x.npy: 4 bytes of data, expected 8 for shape (2,) of float32",
             load<float>(test::npy("<f4", "False", "(2,)", "1234")));
  CHECK_SAYS("9 bytes of data, expected 8",
             load<float>(test::npy("<f4", "False", "(2,)", "123456789")));
  CHECK_SAYS("4 bytes of data, expected 4000000000",
             load<float>(test::npy("<f4", "False", "(1000000000,)", "1234")));
  CHECK_SAYS("[load_npy] missing.npy: No such file or directory", load_npy<float>("missing.npy"));
}

TEST_CASE_TEMPLATE("what is saved is loaded again", T, bool, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, weft::half, float, double, weft::complex<float>,
                   weft::complex<double>) {
  const test::TemporaryFolder folder;
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{2, 0, 3}, Shape{3, 4, 5}}) {
    Tensor<T> x = weft::empty<T>(shape);
    for (std::int64_t i = 0; i < x.size(); ++i)
      x.data()[i] = static_cast<T>(static_cast<float>(i % 100));
    save_npy(folder / "x.npy", x);
    const auto y = load_npy<T>(folder / "x.npy");
    CHECK(y.shape() == shape);
    CHECK(y.to_vector() == x.to_vector());
  }
}

TEST_CASE("the bytes of a saved file") {
  const test::TemporaryFolder folder;
  save_npy(folder / "x.npy", weft::tensor<std::uint8_t>({1, 2, 3}));
  CHECK(test::read_bytes(folder / "x.npy") == test::npy("|u1", "False", "(3,)", "\1\2\3"));
  save_npy(folder / "x.npy", Tensor<float>());
  CHECK(load_npy<float>(folder / "x.npy").shape() == Shape{0});
}

TEST_CASE_TEMPLATE("views, expressions and reductions are saved by value", D, TEST_DEVICES) {
  const test::TemporaryFolder folder;
  const auto x = weft::tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}}).to(D{});
  save_npy(folder / "x.npy", x.t());
  CHECK(load_npy<float>(folder / "x.npy").to_vector() == std::vector<float>{1, 4, 2, 5, 3, 6});
  save_npy(folder / "x.npy", x * 2 + 1);
  CHECK(load_npy<float>(folder / "x.npy").to_vector() == std::vector<float>{3, 5, 7, 9, 11, 13});
  save_npy(folder / "x.npy", sum(x, weft::axis(0)));
  CHECK(load_npy<float>(folder / "x.npy").to_vector() == std::vector<float>{5, 7, 9});
  save_npy(folder / "x.npy", Tensor<const float, D>(x(1)));
  CHECK(load_npy<float>(folder / "x.npy").to_vector() == std::vector<float>{4, 5, 6});
}

TEST_CASE("a saved file replaces the old one, and a loaded tensor may be saved over its file") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  save_npy(path, weft::ones({1000}));
  save_npy(path, load_npy<float>(path) + 1);
  CHECK(load_npy<float>(path).at(999) == 2);
  CHECK(folder.files() == 1);
  CHECK_SAYS("[save_npy] /: not a regular file", save_npy("/", weft::ones({1})));
}
