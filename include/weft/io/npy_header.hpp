// The header of a .npy file: element type, order and shape, strictly validated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "weft/core/dtype.hpp"
#include "weft/io/header_text.hpp"

namespace weft::io {

/// What the header of a .npy file says.
struct NpyHeader {
  Dtype dtype = Dtype::float32;
  bool swapped = false;  ///< the bytes of a number lie in the other order than on this machine
  bool fortran_order = false;  ///< the first index runs fastest
  Shape shape;

  int64_t count() const { return shape.size(); }
};

/// NumPy's letter and size for an element type: 'f' and 4 for float32.
struct NpyType {
  char kind;
  int bytes;
  Dtype dtype;
};
inline constexpr NpyType npy_types[] = {
    {'b', 1, Dtype::boolean},   {'i', 1, Dtype::int8},       {'i', 2, Dtype::int16},
    {'i', 4, Dtype::int32},     {'i', 8, Dtype::int64},      {'u', 1, Dtype::uint8},
    {'u', 2, Dtype::uint16},    {'u', 4, Dtype::uint32},     {'u', 8, Dtype::uint64},
    {'f', 2, Dtype::float16},   {'f', 4, Dtype::float32},    {'f', 8, Dtype::float64},
    {'c', 8, Dtype::complex64}, {'c', 16, Dtype::complex128}};

/// The bytes of an element of type `dtype`; 0 where .npy has no such type (bfloat16).
constexpr int npy_bytes(Dtype dtype) {
  for (const NpyType& type : npy_types) {
    if (type.dtype == dtype) return type.bytes;
  }
  return 0;
}

/// Reads the Python dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }: these
/// three keys, in any order, with values of these kinds, and nothing else.
template <class Input>
class NpyDictionary : HeaderText<Input> {
 public:
  NpyDictionary(const Input& file, const std::string& text)
      : HeaderText<Input>(file, text, " \n", "character") {}

  NpyHeader parse() {
    NpyHeader header;
    expect('{');
    while (!accept('}')) {
      const std::string key = string("a key");
      expect(':');
      if (key == "descr") {
        once(0, key);
        parse_type(string("the element type as a string"), header);
      } else if (key == "fortran_order") {
        once(1, key);
        header.fortran_order = truth();
      } else if (key == "shape") {
        once(2, key);
        header.shape = tuple();
      } else {
        file_.refuse("unknown key '", key, "' in the header, expected descr, fortran_order, shape");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    space();
    if (at_ != text_.size()) unexpected("the end");
    const char* names[] = {"descr", "fortran_order", "shape"};
    for (int i = 0; i < 3; ++i) {
      if (!seen_[i]) file_.refuse("the header has no key '", names[i], "'");
    }
    check_size(header);
    return header;
  }

 private:
  using HeaderText<Input>::accept;
  using HeaderText<Input>::at_;
  using HeaderText<Input>::digits;
  using HeaderText<Input>::expect;
  using HeaderText<Input>::file_;
  using HeaderText<Input>::space;
  using HeaderText<Input>::text_;
  using HeaderText<Input>::unexpected;

  bool accept_word(const char* word) {
    space();
    if (text_.compare(at_, std::strlen(word), word) != 0) return false;
    at_ += std::strlen(word);
    return true;
  }

  void once(int key, const std::string& name) {
    if (seen_[key]) file_.refuse("the key '", name, "' appears twice in the header");
    seen_[key] = true;
  }

  std::string string(const char* wanted) {
    const bool single = accept('\'');
    if (!single && !accept('"')) unexpected(wanted);
    std::string out;
    for (; at_ < text_.size() && text_[at_] != (single ? '\'' : '"'); ++at_) {
      const char c = text_[at_];
      if (c < ' ' || c > '~' || c == '\\') unexpected("a plain character");
      out += c;
    }
    if (at_++ == text_.size()) unexpected("the end of a string");
    return out;
  }

  bool truth() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) unexpected("True or False");
    return false;
  }

  int64_t number() {
    space();
    const std::size_t first = at_;
    const int64_t value = digits("a size below 2^63");
    if (at_ == first) unexpected("a size of at least 0");
    return value;
  }

  /// (), (3,), (3, 4); a single size needs its comma, as in Python.
  Shape tuple() {
    Shape shape;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) unexpected("',' or ')'");
      const int64_t size = number();
      if (shape.rank() == max_rank) file_.refuse("more than ", max_rank, " dimensions");
      shape.push_back(size);
      comma = accept(',');
    }
    if (shape.rank() == 1 && !comma) unexpected("a tuple as in (3,)");
    return shape;
  }

  void parse_type(const std::string& descr, NpyHeader& header) {
    const char other = std::endian::native == std::endian::little ? '>' : '<';
    if (descr.size() >= 3 && descr.size() <= 4) {
      const char order = descr[0];
      for (const NpyType& type : npy_types) {
        if (descr[1] != type.kind || descr.compare(2, 2, std::to_string(type.bytes)) != 0) continue;
        const bool has_order = order == '<' || order == '>' || order == '=';
        if (!has_order && (order != '|' || type.bytes > 1)) break;
        header.dtype = type.dtype;
        header.swapped = order == other && type.bytes > 1;
        return;
      }
    }
    file_.refuse("element type '", descr, "', expected '<', '>', '=' or '|' (for single bytes), ",
                 "then b1, i1 to i8, u1 to u8, f2, f4, f8, c8 or c16");
  }

  /// The bytes of the data must fit in 63 bits, a size of 0 counted as 1.
  void check_size(const NpyHeader& header) const {
    int64_t bytes = npy_bytes(header.dtype);
    for (int64_t size : header.shape) {
      if (__builtin_mul_overflow(bytes, size > 0 ? size : 1, &bytes)) {
        file_.refuse("the bytes of shape ", header.shape, " do not fit in 63 bits");
      }
    }
  }

  bool seen_[3] = {};
};

/// Reads the header from a file or anything with its functions, which is then at the first byte of
/// the data and has as many bytes left as the header says.
template <class Input>
NpyHeader read_npy_header(Input& file) {
  constexpr int64_t limit = 10000;  // NumPy's own
  unsigned char start[12] = {};
  if (file.size() < 10)
    file.refuse("not a .npy file: ", file.size(), " bytes, expected at least 10");
  file.read(start, 10);
  if (std::memcmp(start, "\x93NUMPY", 6) != 0)
    file.refuse("not a .npy file: no \\x93NUMPY at the start");
  const int major = start[6];
  if (major < 1 || major > 3 || start[7] != 0) {
    file.refuse("version ", major, ".", int{start[7]}, " of the format, expected 1.0, 2.0 or 3.0");
  }
  int64_t length = start[8] | start[9] << 8;
  if (major > 1) {
    file.read(start + 10, 2);
    length |= int64_t{start[10]} << 16 | int64_t{start[11]} << 24;
  }
  if (length > limit) file.refuse("a header of ", length, " bytes, expected at most ", limit);
  if (length > file.left()) {
    file.refuse("a header of ", length, " bytes, but only ", file.left(), " follow");
  }
  std::string text(static_cast<std::size_t>(length), ' ');
  file.read(text.data(), length);
  if (text.empty() || text.back() != '\n') file.refuse("the header does not end with a newline");
  const NpyHeader header = NpyDictionary(file, text).parse();
  const int64_t bytes = header.count() * npy_bytes(header.dtype);
  if (bytes != file.left()) {
    file.refuse(file.left(), " bytes of data, expected ", bytes, " for shape ", header.shape,
                " of ", header.dtype);
  }
  return header;
}

/// The header, version 1.0, of row-major data; a multiple of 64 bytes long, as NumPy writes it.
inline std::string npy_header(Dtype dtype, const Shape& shape) {
  std::string type;
  for (const NpyType& t : npy_types) {
    if (t.dtype != dtype) continue;
    type = t.bytes == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
    type += t.kind + std::to_string(t.bytes);
  }
  std::string text = "{'descr': '" + type +
                     "', 'fortran_order': False, 'shape': " + weft::detail::text(shape) + ", }";
  constexpr std::size_t prefix = 10;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size() & 0xFF) +
         static_cast<char>(text.size() >> 8) + text;
}

}  // namespace weft::io
