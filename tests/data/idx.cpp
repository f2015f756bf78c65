// SPDX-License-Identifier: Apache-2.0
#include <weft/data/idx.hpp>

#include "io/mutate.hpp"
#include "test.hpp"

using test::hex;
using weft::Shape;
using weft::data::load_idx;
using weft::data::load_mnist;
using namespace std::string_literals;

namespace {
template <class T = std::uint8_t>
weft::Tensor<T> load(const std::string& bytes) {
  const test::TemporaryFolder folder;
  return load_idx<T>(test::write_bytes(folder / "x", bytes));
}
std::string gzip(const std::string& bytes) {
  std::string out(bytes.size() + 100, '\0');
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
const std::string images = "\0\0\x08\x03\0\0\0\2\0\0\0\1\0\0\0\3"s + "abcdef";
const std::string labels = "\0\0\x08\x01\0\0\0\2"s + "\x07\x09";
}  // namespace

TEST_CASE("plain and compressed") {
  for (const std::string& bytes : {images, gzip(images)}) {
    const auto x = load(bytes);
    CHECK(x.shape() == Shape{2, 1, 3});
    CHECK(x.at(1, 0, 2) == 'f');
  }
  // gzip files may be several, one after the other.
  CHECK(load(gzip(images.substr(0, 9)) + gzip(images.substr(9))).at(1, 0, 0) == 'd');
  CHECK(load("\0\0\x08\x02\0\0\0\0\0\0\0\3"s).shape() == Shape{0, 3});
}

TEST_CASE("the other element types are big-endian") {
  const std::string one = "\1\0\0\0\2"s;
  CHECK(load<std::int8_t>("\0\0\x09"s + one + "\xff\x05").to_vector() ==
        std::vector<std::int8_t>{-1, 5});
  CHECK(load<std::int16_t>("\0\0\x0b"s + one + "\x01\x02\xff\xfe").to_vector() ==
        std::vector<std::int16_t>{0x0102, -2});
  CHECK(load<std::int32_t>("\0\0\x0c"s + one + hex("00010203fffffffd")).to_vector() ==
        std::vector<std::int32_t>{0x010203, -3});
  CHECK(load<float>("\0\0\x0d"s + one + hex("3f800000c0000000")).to_vector() ==
        std::vector<float>{1, -2});
  CHECK(load<double>("\0\0\x0e"s + one + hex("3ff00000000000004008000000000000")).to_vector() ==
        std::vector<double>{1, 3});
}

TEST_CASE("what is no idx file") {
  CHECK_SAYS("[load_idx] ", load(""));
  CHECK_SAYS("x: the content ends after 0 bytes, expected 4 from byte 0", load(""));
  CHECK_SAYS("not an idx file: it begins with bytes 137 and 80", load("\x89PNG"));
  CHECK_SAYS("elements of type code 13, expected 8 for uint8", load("\0\0\x0d\1"s));
  CHECK_SAYS("elements of type code 10, expected 8", load("\0\0\x0a\1"s));
  CHECK_SAYS("0 dimensions, expected 1 to 8", load("\0\0\x08\0"s));
  CHECK_SAYS("9 dimensions", load("\0\0\x08\x09"s));
  CHECK_SAYS("the content ends after 7 bytes, expected 4 from byte 4", load("\0\0\x08\1\0\0\0"s));
  CHECK_SAYS("shape (2, 1, 3) of uint8, which is more than the file can hold",
             load(images.substr(0, images.size() - 1)));
  CHECK_SAYS("1 bytes more than the 22 expected", load(images + "x"));
  const std::string huge = "\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s;
  CHECK_SAYS("shape (4294967295, 4294967295, 4294967295) of uint8, which is more", load(huge));
  CHECK_SAYS("which is more than the file can hold", load("\0\0\x08\1\xff\xff\xff\xff"s));
}

TEST_CASE("compressed files that are damaged") {
  CHECK_SAYS("which is more than the file can hold", load(gzip("\0\0\x08\1\xff\xff\xff\xff"s)));
  CHECK_SAYS("the content ends after 21 bytes, expected 6 from byte 16",
             load(gzip(images.substr(0, images.size() - 1))));
  CHECK_SAYS("there are more of them than expected", load(gzip(images + "x")));
  CHECK_SAYS("other bytes follow them", load(gzip(images) + "x"));
  CHECK_SAYS("there are more of them than expected", load(gzip(images) + gzip("x")));
  std::string broken = gzip(images);
  broken[broken.size() - 8] ^= 1;
  CHECK_SAYS("incorrect data check", load(broken));
  CHECK_SAYS("they end too early", load(gzip(images).substr(0, 25)));
}

TEST_CASE("images and labels") {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "train-images-idx3-ubyte.gz", gzip(images));
  test::write_bytes(folder / "train-labels-idx1-ubyte", labels);
  const auto data = load_mnist(folder / "", true);
  CHECK(data.images.shape() == Shape{2, 1, 3});
  CHECK(data.labels.to_vector() == std::vector<std::int64_t>{7, 9});
  CHECK_SAYS("t10k-images-idx3-ubyte: No such file", load_mnist(folder / "", false));

  const auto with = [&](const std::string& i, const std::string& l) {
    return load_mnist(test::write_bytes(folder / "i", i), test::write_bytes(folder / "l", l));
  };
  CHECK_SAYS("[load_mnist] ", with(images, "\0\0\x08\1\0\0\0\1\7"s));
  CHECK_SAYS("l: labels of shape (1,) for 2 images", with(images, "\0\0\x08\1\0\0\0\1\7"s));
  CHECK_SAYS("i: images of shape (2,), expected (n, height, width)", with(labels, labels));
  CHECK_SAYS("l: labels of shape (2, 1, 3)", with(images, images));
  CHECK_SAYS("l: label 10 of image 1, expected 0 to 9", with(images, "\0\0\x08\1\0\0\0\2\7\x0a"s));
}

TEST_CASE("damaged files") {
  const auto read = [](const std::string& path) { load_idx<std::uint8_t>(path); };
  CHECK(test::mutate("x", images, read) > 7.0 / 15);
  const std::string packed = gzip(images);
  CHECK(test::mutate("x", packed, read) > 7.0 / 15);
}
