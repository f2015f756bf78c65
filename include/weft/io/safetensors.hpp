// load_safetensors and save_safetensors: named tensors in Hugging Face's file format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "weft/cpu/memory.hpp"
#include "weft/io/safetensors_header.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft {

/// All tensors of a file, on the CPU and in the file's order, and its metadata.
template <class = void>  // a template because weft::lib holds it
StateDict load_safetensors(const std::string& path);

/// A safetensors file, whose header is read and checked when it is opened, and whose tensors are
/// read on request, if necessary from several threads at once.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path)
      : file_("load_safetensors", path), header_(io::read_safetensors_header(file_)) {
    static_assert(std::endian::native == std::endian::little,
                  "weft: safetensors are little-endian");
    for (const io::SafetensorsEntry& entry : header_.entries) places_.emplace(entry.name, &entry);
  }

  /// What the tensors are, by their place in the file.
  const std::vector<io::SafetensorsEntry>& entries() const { return header_.entries; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  bool contains(const std::string& name) const { return places_.contains(name); }

  /// Reads one tensor; throws if there is none with that name, or weft does not have its element
  /// type.
  AnyTensor load(const std::string& name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) file_.refuse("no tensor named '", name, "'");
    return load(*found->second);
  }

 private:
  template <class>
  friend StateDict load_safetensors(const std::string& path);

  AnyTensor load(const io::SafetensorsEntry& entry) const {
    if (!entry.type->known) {
      file_.refuse("'", entry.name, "' has elements of type ", entry.type->name,
                   ", which weft does not have");
    }
    AnyTensor out = AnyTensor::empty(entry.type->dtype, entry.shape);
    file_.read_at(header_.data + entry.begin, out.data(), entry.end - entry.begin);
    if (out.dtype() == Dtype::boolean) {
      auto* bytes = static_cast<unsigned char*>(out.data());
      for (int64_t i = 0; i < out.size(); ++i) bytes[i] = bytes[i] != 0;
    }
    return out;
  }

  io::InputFile file_;
  io::SafetensorsHeader header_;
  std::map<std::string, const io::SafetensorsEntry*> places_;
};

template <class>
StateDict load_safetensors(const std::string& path) {
  const SafetensorsFile file(path);
  StateDict out;
  out.metadata = file.metadata();
  for (const io::SafetensorsEntry& entry : file.entries()) out.add(entry.name, file.load(entry));
  return out;
}

namespace detail {
inline const io::SafetensorsType* safetensors_type(Dtype dtype) {
  for (const io::SafetensorsType& type : io::safetensors_types) {
    if (type.known && type.dtype == dtype) return &type;
  }
  return nullptr;
}

/// A name or text of the header is written as it is read: within the limits, and UTF-8.
inline void check_safetensors_text(const std::string& path, const std::string& text) {
  if (io::first_invalid_utf8(text) == text.size() && text.find('\0') == std::string::npos) return;
  fail<FileError>("save_safetensors", path, ": '", text.c_str(), "' is not UTF-8 without U+0000");
}
}  // namespace detail

/// Saves tensors on any device, and the metadata, as `path`, byte for byte as the reference writer
/// does. The file is written atomically.
template <class = void>
void save_safetensors(const std::string& path, const StateDict& dict) {
  struct Item {
    const StateDict::Entry* entry;
    const io::SafetensorsType* type;
  };
  std::vector<Item> items;
  for (const StateDict::Entry& entry : dict) {
    const auto* const type = detail::safetensors_type(entry.second.dtype());
    if (type == nullptr) {
      fail<FileError>("save_safetensors", path, ": '", entry.first, "' has elements of type ",
                      entry.second.dtype(), ", which safetensors do not have");
    }
    if (entry.first == "__metadata__" || entry.first.size() > io::SafetensorsLimits::name) {
      fail<FileError>("save_safetensors", path, ": a tensor may not be named '", entry.first, "'");
    }
    detail::check_safetensors_text(path, entry.first);
    items.push_back({&entry, type});
  }
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.type != b.type ? a.type > b.type : a.entry->first < b.entry->first;
  });

  std::string header;
  const auto add = [&](const std::string& name) -> std::string& {
    header += header.empty() ? '{' : ',';
    return (header += io::json_string(name)) += ":";
  };
  if (!dict.metadata.empty()) {
    std::string texts;
    for (const auto& [key, value] : dict.metadata) {
      detail::check_safetensors_text(path, key);
      detail::check_safetensors_text(path, value);
      texts += texts.empty() ? '{' : ',';
      texts += io::json_string(key);
      texts += ':';
      texts += io::json_string(value);
    }
    add("__metadata__") += texts + "}";
  }
  int64_t place = 0;
  for (const Item& item : items) {
    const AnyTensor& x = item.entry->second;
    std::string sizes;
    for (const int64_t size : x.shape()) {
      if (!sizes.empty()) sizes += ',';
      sizes += std::to_string(size);
    }
    add(item.entry->first) += "{\"dtype\":\"" + std::string(item.type->name) + "\",\"shape\":[" +
                              sizes + "],\"data_offsets\":[" + std::to_string(place) + "," +
                              std::to_string(place + x.bytes()) + "]}";
    place += x.bytes();
  }
  header += header.empty() ? "{}" : "}";
  header.append((8 - header.size() % 8) % 8, ' ');

  if (header.size() > io::SafetensorsLimits::header) {
    fail<FileError>("save_safetensors", path, ": a header of ", header.size(), " bytes, at most ",
                    io::SafetensorsLimits::header, " are allowed");
  }
  io::OutputFile file("save_safetensors", path);
  unsigned char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(header.size() >> 8 * i);
  file.write(length, 8);
  file.write(header.data(), static_cast<int64_t>(header.size()));
  for (const Item& item : items) {
    const AnyTensor packed = item.entry->second.cpu().contiguous();
    file.write(packed.data(), packed.bytes());
  }
  file.commit();
}

}  // namespace weft
