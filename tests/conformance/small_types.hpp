// ONNX's numbers of its element types, and the small ones by their formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call.hpp"
#include "weft/low_precision.hpp"

namespace conformance {

/// Calls f(format) for the small type of this name, or gives false.
template <class F>
bool with_format(const std::string& name, F f) {
  if (name == "float8e4m3fn") return f(weft::float8_e4m3{}), true;
  if (name == "float8e4m3fnuz") return f(weft::float8_e4m3fnuz{}), true;
  if (name == "float8e5m2") return f(weft::float8_e5m2{}), true;
  if (name == "float8e5m2fnuz") return f(weft::float8_e5m2fnuz{}), true;
  if (name == "float8e8m0") return f(weft::float8_e8m0{}), true;
  if (name == "float4e2m1") return f(weft::float4_e2m1{}), true;
  if (name == "int4") return f(weft::int4{}), true;
  if (name == "uint4") return f(weft::uint4{}), true;
  if (name == "int2") return f(weft::int2{}), true;
  if (name == "uint2") return f(weft::uint2{}), true;
  return false;
}

/// The name of an element type by ONNX's number.
inline std::string type_name(int64_t number) {
  static const char* const names[] = {"",
                                      "float32",
                                      "uint8",
                                      "int8",
                                      "uint16",
                                      "int16",
                                      "int32",
                                      "int64",
                                      "string",
                                      "bool",
                                      "float16",
                                      "float64",
                                      "uint32",
                                      "uint64",
                                      "complex64",
                                      "complex128",
                                      "bfloat16",
                                      "float8e4m3fn",
                                      "float8e4m3fnuz",
                                      "float8e5m2",
                                      "float8e5m2fnuz",
                                      "uint4",
                                      "int4",
                                      "float4e2m1",
                                      "float8e8m0",
                                      "uint2",
                                      "int2"};
  return number > 0 && number < 27 ? names[number] : "type " + std::to_string(number);
}

/// The numbers that a value of a small type stands for.
inline Float decoded(const Value& v) {
  Float out;
  with_format(v.small,
              [&](auto format) { out = weft::decode<decltype(format)>(v.tensor.get<uint8_t>()); });
  return out;
}

}  // namespace conformance
