// Rival of the CPU benchmark: loops as an expert writes them by hand, with OpenMP.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "../cpu.hpp"

namespace bench {
namespace {

using std::int64_t;

/// exp as in the Cephes library: 2^n times a polynomial; arguments beyond +-87 are cut.
inline float fast_exp(float x) {
  x = std::min(std::max(x, -87.0F), 87.0F);
  const float n = std::nearbyint(x * 1.44269504F);
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  return p * std::bit_cast<float>((static_cast<int>(n) + 127) << 23);
}
inline float fast_tanh(float x) { return 1 - 2 / (fast_exp(2 * x) + 1); }

void chain(const Operands& o) {
#pragma omp parallel for simd if (o.n > 32768)
  for (int64_t i = 0; i < o.n; ++i) {
    o.out[i] = fast_tanh(o.x[i] * o.y[i] + 0.3F) * fast_exp(-o.x[i] * o.x[i]) + 0.5F;
  }
}
void axpy(const Operands& o) {
#pragma omp parallel for simd if (o.n > 32768)
  for (int64_t i = 0; i < o.n; ++i) o.out[i] = 0.75F * o.x[i] + o.out[i];
}
void softmax(const Operands& o) {
#pragma omp parallel for if (o.n > 32768)
  for (int64_t r = 0; r < o.rows; ++r) {
    const float* x = o.x + r * o.width;
    float* out = o.out + r * o.width;
    float largest = x[0];
#pragma omp simd reduction(max : largest)
    for (int64_t i = 0; i < o.width; ++i) largest = std::max(largest, x[i]);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < o.width; ++i) {
      out[i] = fast_exp(x[i] - largest);
      sum += out[i];
    }
    const float scale = 1 / sum;
#pragma omp simd
    for (int64_t i = 0; i < o.width; ++i) out[i] *= scale;
  }
}
void layernorm(const Operands& o) {
#pragma omp parallel for if (o.n > 32768)
  for (int64_t r = 0; r < o.rows; ++r) {
    const float* x = o.x + r * o.width;
    float* out = o.out + r * o.width;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < o.width; ++i) sum += x[i];
    const float mean = sum / static_cast<float>(o.width);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < o.width; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(o.width) + 1e-5F);
#pragma omp simd
    for (int64_t i = 0; i < o.width; ++i) {
      out[i] = (x[i] - mean) * scale * o.deviation[i] + o.bias[i];
    }
  }
}
void sumexp(const Operands& o) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (o.n > 32768)
  for (int64_t i = 0; i < o.n; ++i) sum += fast_exp(o.x[i]);
  o.out[0] = sum;
}
void sum(const Operands& o) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (o.n > 32768)
  for (int64_t i = 0; i < o.n; ++i) sum += o.x[i];
  o.out[0] = sum;
}
void rowsum(const Operands& o) {
#pragma omp parallel for if (o.n > 32768)
  for (int64_t r = 0; r < o.rows; ++r) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < o.width; ++i) sum += o.x[r * o.width + i];
    o.out[r] = sum;
  }
}
void colsum(const Operands& o) {
  constexpr int64_t block = 1024;
#pragma omp parallel for if (o.n > 32768)
  for (int64_t b = 0; b < o.width; b += block) {
    const int64_t end = std::min(b + block, o.width);
    for (int64_t i = b; i < end; ++i) o.out[i] = 0;
    for (int64_t r = 0; r < o.rows; ++r) {
#pragma omp simd
      for (int64_t i = b; i < end; ++i) o.out[i] += o.x[r * o.width + i];
    }
  }
}
void bnorm(const Operands& o) {
#pragma omp parallel for if (o.n > 32768)
  for (int64_t r = 0; r < o.rows; ++r) {
#pragma omp simd
    for (int64_t i = 0; i < o.width; ++i) {
      o.out[r * o.width + i] = (o.x[r * o.width + i] - o.mean[i]) * o.deviation[i];
    }
  }
}
/// Tiles of 64 x 64 through a buffer whose rows are one element longer, so that they do not fall
/// on the same cache sets.
void transpose_add(const Operands& o) {
  constexpr int64_t tile = 64;
#pragma omp parallel for if (o.n > 32768)
  for (int64_t a = 0; a < o.rows; a += tile) {
    float buffer[tile][tile + 1];
    for (int64_t b = 0; b < o.width; b += tile) {
      const int64_t rows = std::min(tile, o.rows - a);
      const int64_t columns = std::min(tile, o.width - b);
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = 0; i < rows; ++i) buffer[i][j] = o.x[(b + j) * o.rows + a + i];
      }
      for (int64_t i = 0; i < rows; ++i) {
        float* out = o.out + (a + i) * o.width + b;
        const float* y = o.y + (a + i) * o.width + b;
#pragma omp simd
        for (int64_t j = 0; j < columns; ++j) out[j] = buffer[i][j] + y[j];
      }
    }
  }
}
/// The largest of each block first, then where it is.
void argmax(const Operands& o) {
  float best = o.x[0];
  int64_t at = 0;
  for (int64_t b = 0; b < o.n; b += 4096) {
    const int64_t end = std::min(b + 4096, o.n);
    float largest = o.x[b];
#pragma omp simd reduction(max : largest)
    for (int64_t i = b; i < end; ++i) largest = std::max(largest, o.x[i]);
    if (largest > best || b == 0) {
      best = largest;
      for (at = b; o.x[at] != best;) ++at;
    }
  }
  o.out[0] = static_cast<float>(at % 1000003);
}

}  // namespace

void add_hand(const std::string& name, const Operands& o, Contenders& out) {
  using Loop = void (*)(const Operands&);
  const std::pair<const char*, Loop> all[] = {{"chain", chain},
                                              {"axpy", axpy},
                                              {"softmax", softmax},
                                              {"sumexp", sumexp},
                                              {"sum", sum},
                                              {"rowsum", rowsum},
                                              {"colsum", colsum},
                                              {"bnorm", bnorm},
                                              {"transpose_add", transpose_add},
                                              {"argmax", argmax},
                                              {"layernorm", layernorm}};
  for (const auto& [case_name, loop] : all) {
    if (name == case_name)
      out.push_back({"hand", name == "argmax" ? 1 : 64, [&o, loop = loop] { loop(o); }});
  }
}

}  // namespace bench
