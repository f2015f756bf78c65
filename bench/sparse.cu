// Sparse products on the GPU, in milliseconds: by weft's kernels, and by cuSPARSE where it is
// linked. The same by PyTorch and CuPy: bench/rivals/torch_sparse.py. SPDX-License-Identifier:
// Apache-2.0
#include "weft/cuda.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/sparse.hpp"

#include "bench.hpp"

using namespace weft;
using on_cuda::SparseChoice;

namespace {

void time(const char* name, const std::function<void()>& f) {
  std::vector<int> sets(1);
  bench::measure(
      name, 0, sets, [&](int) { f(); }, {}, "weft", 0);
}
/// Products without an epilogue, by each of those who can.
void time_both(const char* name, const std::function<void()>& f) {
  const std::pair<const char*, SparseChoice> choices[] = {{"weft", SparseChoice::automatic},
                                                          {"weft kernels", SparseChoice::kernels},
                                                          {"weft cusparse", SparseChoice::library}};
  for (const auto& [who, choice] : choices) {
    on_cuda::sparse_choice = choice;
    std::vector<int> sets(1);
    bench::measure(
        name, 0, sets, [&](int) { f(); }, {}, who, 0);
  }
  on_cuda::sparse_choice = SparseChoice::automatic;
}

using Matrix = Csr<float, Cuda>;

/// n rows of about `degree` elements in random columns.
Matrix random_graph(int64_t n, int64_t degree) {
  const Tensor<int64_t, Cuda> rows = arange<int64_t>(0, n * degree, 1, Cuda{}) / degree;
  const auto columns = randint<int64_t>(0, n, {n * degree}, Cuda{});
  return coo(rows, columns, rand({n * degree}, Cuda{}), {n, n}).to_csr();
}
/// The same number of elements in all, most of them in few rows.
Matrix skewed_graph(int64_t n, int64_t degree) {
  const Tensor<float, Cuda> u = rand({n * degree}, Cuda{});
  const Tensor<int64_t, Cuda> rows =
      cast<int64_t>(square(square(u)) * (static_cast<float>(n) * 0.999F));
  const auto columns = randint<int64_t>(0, n, {n * degree}, Cuda{});
  return coo(rows, columns, rand({n * degree}, Cuda{}), {n, n}).to_csr();
}
/// The five-point Laplacian of a square grid.
Matrix laplacian(int64_t side) {
  const int64_t n = side * side;
  const auto v = [](float x) { return full<float>({1}, x, Cuda{}); };
  return sparse_diags<float, Cuda>(
      {{0, v(4)}, {1, v(-1)}, {-1, v(-1)}, {side, v(-1)}, {-side, v(-1)}}, {n, n});
}

void vector(const char* name, const Matrix& a) {
  const Tensor<float, Cuda> x = rand({a.columns()}, Cuda{});
  Tensor<float, Cuda> y;
  time_both(name, [&] { y = matmul(a, x); });
}
void matrix(const char* name, const Matrix& a, int64_t width) {
  const Tensor<float, Cuda> x = rand({a.columns(), width}, Cuda{});
  Tensor<float, Cuda> y;
  time_both(name, [&] { y = matmul(a, x); });
}
void epilogue(const char* name, int64_t width) {
  const auto a = random_graph(1 << 17, 32);
  const Tensor<float, Cuda> x = rand({a.columns(), width}, Cuda{});
  const Tensor<float, Cuda> b = randn({width}, Cuda{});
  Tensor<float, Cuda> y;
  time(name, [&] { y = relu(matmul(a, x) + b); });
}
void sampled(const char* name, int64_t width) {
  const auto a = random_graph(1 << 17, 32);
  const Tensor<float, Cuda> x = rand({a.rows(), width}, Cuda{});
  const Tensor<float, Cuda> y = rand({a.columns(), width}, Cuda{});
  Tensor<float, Cuda> s;
  time(name, [&] { s = sddmm_values(a, x, y.t()); });
}
/// A graph convolution, relu(A (x W) + b), forward and back for x, W and b.
void layer(const char* name) {
  const auto a = random_graph(1 << 17, 32);
  const Var x = parameter(Tensor<float, Cuda>(rand({a.columns(), 128}, Cuda{})));
  const Var w = parameter(Tensor<float, Cuda>(randn({128, 128}, Cuda{}) / 10));
  const Var b = parameter(Tensor<float, Cuda>(randn({128}, Cuda{})));
  const Tensor<float, Cuda> g = randn({a.rows(), 128}, Cuda{});
  time(name, [&] {
    for (const Var<float, Cuda>& p : {x, w, b}) p.zero_grad();
    const Var y = relu(matmul(a, matmul(x, w)) + b);
    y.backward(g);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(
      argc, argv,
      {{"spmv_random", [] { vector("spmv_random", random_graph(1 << 20, 16)); }},
       {"spmv_laplacian", [] { vector("spmv_laplacian", laplacian(2048)); }},
       {"spmv_skewed", [] { vector("spmv_skewed", skewed_graph(1 << 20, 16)); }},
       {"spmm_16", [] { matrix("spmm_16", random_graph(1 << 17, 32), 16); }},
       {"spmm_64", [] { matrix("spmm_64", random_graph(1 << 17, 32), 64); }},
       {"spmm_256", [] { matrix("spmm_256", random_graph(1 << 17, 32), 256); }},
       {"spmm_skewed_64", [] { matrix("spmm_skewed_64", skewed_graph(1 << 17, 32), 64); }},
       {"epilogue_64", [] { epilogue("epilogue_64", 64); }},
       {"sddmm_64", [] { sampled("sddmm_64", 64); }},
       {"graph_layer_both", [] { layer("graph_layer_both"); }}});
}
