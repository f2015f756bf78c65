// SPDX-License-Identifier: Apache-2.0
#include <weft/data/cifar.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::Shape;
using namespace weft::data;

namespace {
/// An image whose pixels differ from their neighbours and from other images'.
std::string image(int number) {
  std::string out;
  for (int i = 0; i < 3072; ++i) out += static_cast<char>(i * 7 + number);
  return out;
}
std::string record(char label, int number) { return label + image(number); }
}  // namespace

TEST_CASE("CIFAR-10") {
  const test::TemporaryFolder folder;
  for (int i = 1; i <= 5; ++i) {
    test::write_bytes(folder / ("data_batch_" + std::to_string(i) + ".bin"),
                      record(static_cast<char>(i), i) + record(9, i + 50));
  }
  test::write_bytes(folder / "test_batch.bin", record(0, 99));
  const LabeledImages train = load_cifar10(folder / "", true);
  CHECK(train.images.shape() == Shape{10, 3, 32, 32});
  CHECK(train.labels.to_vector() == std::vector<std::int64_t>{1, 9, 2, 9, 3, 9, 4, 9, 5, 9});
  // Planes of rows: element (c, y, x) is byte c * 1024 + y * 32 + x.
  CHECK(train.images.at(3, 2, 31, 30) ==
        static_cast<std::uint8_t>((2 * 1024 + 31 * 32 + 30) * 7 + 52));
  const LabeledImages test = load_cifar10(folder / "", false);
  CHECK(test.images.size(0) == 1);
  CHECK(test.images.at(0, 1, 0, 0) == static_cast<std::uint8_t>(1024 * 7 + 99));
  CHECK(load_cifar10({}).images.shape() == Shape{0, 3, 32, 32});
}

TEST_CASE("CIFAR-100 has two labels") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "train.bin", "\x13" + record(99, 0) + "\x01" + record(4, 1));
  const Cifar100 data = load_cifar100(folder / "", true);
  CHECK(data.labels.to_vector() == std::vector<std::int64_t>{99, 4});
  CHECK(data.coarse_labels.to_vector() == std::vector<std::int64_t>{19, 1});
  CHECK(data.images.at(1, 0, 0, 1) == 8);
  CHECK_SAYS("test.bin: No such file", load_cifar100(folder / "", false));
}

TEST_CASE("files that are damaged") {
  const test::TemporaryFolder folder;
  const auto ten = [&](const std::string& bytes) {
    return load_cifar10({test::write_bytes(folder / "x", bytes)});
  };
  const auto hundred = [&](const std::string& bytes) {
    return load_cifar100(test::write_bytes(folder / "x", bytes));
  };
  CHECK_SAYS("[load_cifar10] ", ten(image(0)));
  CHECK_SAYS("x: 3072 bytes, expected a multiple of 3073", ten(image(0)));
  CHECK_SAYS("x: 3074 bytes, expected a multiple of 3073", ten(record(0, 0) + "x"));
  CHECK_SAYS("x: label 10 of image 1, expected 0 to 9", ten(record(0, 0) + record(10, 0)));
  CHECK_SAYS("x: label 255 of image 0", ten(record('\xff', 0)));
  CHECK_SAYS("[load_cifar100] ", hundred(record(0, 0)));
  CHECK_SAYS("x: 3073 bytes, expected a multiple of 3074", hundred(record(0, 0)));
  CHECK_SAYS("x: label 20 of image 0, expected 0 to 19", hundred("\x14" + record(0, 0)));
  CHECK_SAYS("x: label 100 of image 0, expected 0 to 99", hundred("\x01" + record(100, 0)));
  CHECK(ten("").images.size() == 0);
  CHECK_SAYS("No such file", load_cifar10({folder / "none"}));
}
