// Sparse matrices: friendships in a club, its central members, and the two halves it split into.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/autograd.hpp>
#include <weft/sparse.hpp>

using namespace weft;

/// Who met whom outside of the club (Zachary 1977), members counted from 1.
const std::vector<std::pair<int, std::vector<int>>> friends{
    {1, {2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32}},
    {2, {3, 4, 8, 14, 18, 20, 22, 31}},
    {3, {4, 8, 9, 10, 14, 28, 29, 33}},
    {4, {8, 13, 14}},
    {5, {7, 11}},
    {6, {7, 11, 17}},
    {7, {17}},
    {9, {31, 33, 34}},
    {10, {34}},
    {14, {34}},
    {15, {33, 34}},
    {16, {33, 34}},
    {19, {33, 34}},
    {20, {34}},
    {21, {33, 34}},
    {23, {33, 34}},
    {24, {26, 28, 30, 33, 34}},
    {25, {26, 28, 32}},
    {26, {32}},
    {27, {30, 34}},
    {28, {34}},
    {29, {32, 34}},
    {30, {33, 34}},
    {31, {33, 34}},
    {32, {33, 34}},
    {33, {34}}};

template <class D>
int run(D device) {
  constexpr int64_t n = 34;
  bool right = true;

  // A matrix from triplets: each friendship once in the upper half, and once in the lower one.
  std::vector<int> one, other;
  for (const auto& [member, list] : friends) {
    for (const int friend_of_member : list) {
      one.push_back(member - 1);
      other.push_back(friend_of_member - 1);
    }
  }
  const auto upper =
      coo(tensor(one), tensor(other), ones({int64_t(one.size())}), {n, n}).to_csr().to(device);
  const auto graph = upper + upper.t();
  std::cout << graph.nnz() / 2 << " friendships of " << n << " members; the first has those of\n"
            << graph.row(0).col_indices.to(Cpu{}) + 1 << "\n";

  // PageRank: where a walker ends up who always moves on to a friend, or now and then to anybody.
  const Tensor<float, D> degree = sum(graph, axis(1));
  const auto walk = (graph / degree.unsqueeze(1)).t();  // a column is a member's next step
  const Tensor<float, D> anybody = full({n}, 0.15F / n, device);
  Tensor<float, D> rank = full({n}, 1.F / n, device);
  for (int step = 0; step < 100; ++step) {
    rank = matmul(walk, rank) * 0.85F + anybody;  // one loop, one kernel
  }
  const auto best = topk(rank, 2);
  std::cout << "most central: " << best.indices.to(Cpu{}) + 1 << " with " << best.values.to(Cpu{})
            << "\n";
  right &=
      example::check("the ranks are those of NetworkX",
                     allclose(best.values.to(Cpu{}), tensor({0.1009F, 0.0970F}), {.atol = 1e-4}));

  // A graph network of two layers (Kipf and Welling 2017): each member mixes what it knows with its
  // friends' knowledge. Only the two leaders' sides are given.
  const auto knows = graph + sparse_eye(n, device);
  const Tensor<float, D> scale = rsqrt(sum(knows, axis(1)));
  const auto mix = knows * scale.unsqueeze(1) * scale;
  Generator generator(1);
  const Var w1 = parameter(Tensor<float, D>(randn({n, 8}, Cpu{}, generator).to(device) * 0.3F));
  const Var b1 = parameter(zeros({8}, device));
  const Var w2 = parameter(Tensor<float, D>(randn({8, 2}, Cpu{}, generator).to(device) * 0.3F));
  const auto leaders = tensor<std::int64_t>({0, 33}).to(device);
  const auto sides = tensor<std::int64_t>({0, 1}).to(device);
  Tensor<float, D> scores;
  for (int step = 0; step < 200; ++step) {
    const Var hidden = relu(matmul(mix, w1) + b1);       // (member, 8)
    const Var logits = matmul(mix, matmul(hidden, w2));  // (member, side)
    scores = logits.detach();
    const Var loss = cross_entropy(take(logits, leaders, axis(0)), sides);
    for (const Var<float, D>& p : {w1, b1, w2}) p.zero_grad();
    loss.backward();
    const NoGrad guard;
    for (const Var<float, D>& p : {w1, b1, w2}) p.assign(p.detach() - 0.5F * p.grad());
  }
  const Tensor<std::int64_t, Cpu> side = argmax(scores, axis(1)).eval().to(Cpu{});
  Tensor<std::int64_t> truth = ones<std::int64_t>({n});
  for (const int m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22})
    truth.at(m - 1) = 0;
  const auto found = sum(cast<std::int64_t>(side == truth)).item();
  std::cout << found << " of " << n << " members are on the side where they went\n";
  right &= example::check("all but one or two", found >= n - 2);
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
