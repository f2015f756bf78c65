#include "weft/dist/start.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("what is packed, and what overlaps") {
  const Tensor x = ones({3, 4});
  CHECK(dist::detail::packed(x, true).data() == x.data());
  CHECK(dist::detail::packed(x.t(), true).data() != x.data());
  CHECK(dist::detail::packed(x.t(), false).is_contiguous());
  CHECK(dist::detail::overlap(x.narrow(0, 0, 2), x.narrow(0, 1, 2)));
  CHECK(!dist::detail::overlap(x.narrow(0, 0, 1), x.narrow(0, 1, 2)));
  dist::detail::average(x, 4);
  CHECK(x.at(1, 1) == 0.25F);
}

TEST_CASE("a call counts as a write, and bad ones say so") {
  const dist::Group g;
  const Tensor x = ones({2});
  const auto before = x.storage()->current_version();
  g.all_reduce(x);
  CHECK(x.storage()->current_version() == before + 1);
  CHECK(g.circle()->sequence() == 1);
  CHECK_SAYS("[all_reduce] the average of int32",
             g.all_reduce(ones<std::int32_t>({1}), dist::Reduce::average));
}
