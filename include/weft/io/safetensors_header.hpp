// The header of a safetensors file: names, types, shapes and offsets, strictly validated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "weft/core/dtype.hpp"
#include "weft/io/json.hpp"
#include "weft/io/utf8.hpp"

namespace weft::io {

/// An element type of the format, in the order in which the reference writer sorts tensors.
struct SafetensorsType {
  const char* name;
  int bits;
  bool known;   ///< weft has the type
  Dtype dtype;  ///< then this is it
};
inline constexpr SafetensorsType safetensors_types[] = {
    {"BOOL", 8, true, Dtype::boolean},   {"F4", 4, false, {}},
    {"F6_E2M3", 6, false, {}},           {"F6_E3M2", 6, false, {}},
    {"U8", 8, true, Dtype::uint8},       {"I8", 8, true, Dtype::int8},
    {"F8_E5M2", 8, false, {}},           {"F8_E4M3", 8, false, {}},
    {"F8_E8M0", 8, false, {}},           {"F8_E4M3FNUZ", 8, false, {}},
    {"F8_E5M2FNUZ", 8, false, {}},       {"I16", 16, true, Dtype::int16},
    {"U16", 16, true, Dtype::uint16},    {"F16", 16, true, Dtype::float16},
    {"BF16", 16, true, Dtype::bfloat16}, {"I32", 32, true, Dtype::int32},
    {"U32", 32, true, Dtype::uint32},    {"F32", 32, true, Dtype::float32},
    {"C64", 64, true, Dtype::complex64}, {"F64", 64, true, Dtype::float64},
    {"I64", 64, true, Dtype::int64},     {"U64", 64, true, Dtype::uint64}};

/// One tensor of a file.
struct SafetensorsEntry {
  std::string name;
  const SafetensorsType* type = nullptr;
  Shape shape;
  int64_t begin = 0;  ///< where its bytes begin and end, counted from the end of the header
  int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< by their place in the file
  std::map<std::string, std::string> metadata;
  int64_t data = 0;  ///< where in the file the data begin
};

/// What a file may have at most.
struct SafetensorsLimits {
  static constexpr std::uint64_t header = 100'000'000;  // the reference's
  static constexpr std::size_t tensors = 1'000'000;
  static constexpr std::size_t name = 4096;
};

namespace detail {
class SafetensorsParser {
 public:
  SafetensorsParser(const InputFile& file, std::string_view text)
      : file_(file), json_(file, text) {}

  void parse(SafetensorsHeader& header) {
    std::set<std::string> keys;
    json_.object([&](const std::string& key) {
      if (key.size() > SafetensorsLimits::name) {
        file_.refuse("a name of ", key.size(), " bytes, expected at most ",
                     SafetensorsLimits::name);
      }
      if (!keys.insert(key).second) file_.refuse("the name '", key, "' appears twice");
      if (key == "__metadata__") return metadata(header);
      if (header.entries.size() == SafetensorsLimits::tensors) {
        file_.refuse("more than ", SafetensorsLimits::tensors, " tensors");
      }
      header.entries.push_back(entry(key));
    });
    json_.end();
  }

 private:
  void metadata(SafetensorsHeader& header) {
    json_.object([&](const std::string& key) {
      if (!header.metadata.emplace(key, json_.string("a string")).second) {
        file_.refuse("the key '", key, "' appears twice in __metadata__");
      }
    });
  }

  SafetensorsEntry entry(const std::string& name) {
    SafetensorsEntry out;
    out.name = name;
    bool seen[3] = {};
    const char* keys[] = {"dtype", "shape", "data_offsets"};
    json_.object([&](const std::string& key) {
      int which = 0;
      while (which < 3 && key != keys[which]) ++which;
      if (which == 3) {
        file_.refuse("'", name, "': unknown key '", key, "', expected dtype, shape, data_offsets");
      }
      if (seen[which]) file_.refuse("'", name, "': the key '", key, "' appears twice");
      seen[which] = true;
      if (which == 0) out.type = type(name, json_.string("the element type as a string"));
      if (which == 1) shape(out);
      if (which == 2) offsets(out);
    });
    for (int i = 0; i < 3; ++i) {
      if (!seen[i]) file_.refuse("'", name, "': no key '", keys[i], "'");
    }
    check_size(out);
    return out;
  }

  const SafetensorsType* type(const std::string& name, const std::string& text) const {
    for (const SafetensorsType& type : safetensors_types) {
      if (text == type.name) return &type;
    }
    file_.refuse("'", name, "': unknown element type '", text, "'");
  }

  void shape(SafetensorsEntry& out) {
    json_.array([&] {
      const int64_t size = json_.number();
      if (out.shape.rank() == max_rank) {
        file_.refuse("'", out.name, "': more than ", max_rank, " dimensions");
      }
      out.shape.push_back(size);
    });
  }

  void offsets(SafetensorsEntry& out) {
    int count = 0;
    json_.array([&] { (count++ == 0 ? out.begin : out.end) = json_.number(); });
    if (count != 2) file_.refuse("'", out.name, "': ", count, " data_offsets, expected 2");
  }

  void check_size(const SafetensorsEntry& e) const {
    if (e.end < e.begin) {
      file_.refuse("'", e.name, "' ends at byte ", e.end, ", before it begins at ", e.begin);
    }
    int64_t bits = e.type->bits;
    for (int64_t size : e.shape) {
      if (__builtin_mul_overflow(bits, size, &bits)) {
        file_.refuse("'", e.name, "': the bits of shape ", e.shape, " do not fit in 63 bits");
      }
    }
    if (bits % 8 != 0) {
      file_.refuse("'", e.name, "': shape ", e.shape, " of ", e.type->name,
                   " does not fill whole bytes");
    }
    if (bits / 8 != e.end - e.begin) {
      file_.refuse("'", e.name, "' has ", e.end - e.begin, " bytes, expected ", bits / 8,
                   " for shape ", e.shape, " of ", e.type->name);
    }
  }

  const InputFile& file_;
  JsonReader json_;
};
}  // namespace detail

/// Reads the header and checks that the tensors fill the rest of the file without gap or overlap.
inline SafetensorsHeader read_safetensors_header(InputFile& file) {
  unsigned char start[8];
  if (file.size() < 8) {
    file.refuse("not a safetensors file: ", file.size(), " bytes, expected at least 8");
  }
  file.read(start, 8);
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | start[i];
  if (length > SafetensorsLimits::header) {
    file.refuse("a header of ", length, " bytes, expected at most ", SafetensorsLimits::header);
  }
  if (static_cast<int64_t>(length) > file.left()) {
    file.refuse("a header of ", length, " bytes, but only ", file.left(), " follow");
  }
  std::string text(static_cast<std::size_t>(length), ' ');
  file.read(text.data(), static_cast<int64_t>(length));
  if (text.empty() || text[0] != '{') file.refuse("the header does not begin with '{'");
  if (const std::size_t at = first_invalid_utf8(text); at < text.size()) {
    file.refuse("the header is not UTF-8 at its byte ", at);
  }

  SafetensorsHeader header;
  header.data = file.size() - file.left();
  detail::SafetensorsParser(file, text).parse(header);
  std::sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  int64_t place = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    if (entry.begin != place) {
      file.refuse("'", entry.name, "' begins at byte ", entry.begin, " of the data, expected ",
                  place, ", where the one before it ends");
    }
    place = entry.end;
  }
  if (place != file.left()) {
    file.refuse(file.left(), " bytes of data, expected ", place, " for the tensors of the header");
  }
  return header;
}

}  // namespace weft::io
