#include "weft/cpu/linalg/onednn_product.hpp"

#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

using namespace weft;

TEST_CASE("a matrix is turned back, added or not, and nothing beside it is written") {
  for (const int64_t rows : {1, 15, 16, 33}) {
    for (const int64_t columns : {1, 16, 37}) {
      for (const bool adds : {false, true}) {
        const int64_t pitch = columns + 3;
        std::vector<float> from;
        for (int64_t i = 0; i < rows * columns; ++i) from.push_back(static_cast<float>(i));
        std::vector<float> to(static_cast<std::size_t>(rows * pitch), 0.5F);
        cpu::detail::turn_back(from.data(), rows, columns, to.data(), pitch, adds);
        bool right = true;
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < pitch; ++j) {
            const float wanted = static_cast<float>(j * rows + i) + (adds ? 0.5F : 0.0F);
            right = right &&
                    to[static_cast<std::size_t>(i * pitch + j)] == (j < columns ? wanted : 0.5F);
          }
        }
        CHECK(right);
      }
    }
  }
}

TEST_CASE("a layer's product is that of doubles for any number of rows") {
  const Tensor<double> w = randn<double>({200, 96});
  const Tensor<double> b = randn<double>({200});
  for (const int64_t rows : {1, 5, 12, 16, 20, 31, 32, 64, 100, 128, 129}) {
    CAPTURE(rows);
    const Tensor<double> x = randn<double>({rows, 96});
    const Tensor<double> wanted = matmul(x, w.t());
    const Tensor<float> a = cast<float>(x);
    const Tensor<float> weights = cast<float>(w);
    const Tensor<float> bias = cast<float>(b);
    const auto same = [](const Tensor<float>& found, const Tensor<double>& right) {
      return allclose(Tensor<double>(cast<double>(found)), right, {1e-4, 1e-4});
    };
    CHECK(same(matmul(a, weights.t()), wanted));
    CHECK(same(matmul(a, weights.t()) + bias, wanted + b));
    Tensor<float> wide = full<float>({rows, 210}, 3);
    wide(all, slice(5, 205)).assign(matmul(a, weights.t()) * 2);
    CHECK(same(wide(all, slice(5, 205)).clone(), wanted * 2.));
    CHECK(wide.at(0, 4) == 3);
    CHECK(wide.at(rows - 1, 205) == 3);
  }
}
