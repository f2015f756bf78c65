#include "weft/cpu/conv/onednn_plan.hpp"

#include <weft/cpu/conv/onednn_run.hpp>

#include "images.hpp"

#if defined(WEFT_ONEDNN)
using namespace weft;

TEST_CASE("a plan is made once for a shape") {
  cpu::OneDnnProblem problem{};
  problem.conv = conv::plan("f", {2, 3, 9, 8}, {5, 3, 3, 3}, 2, {.padding = 1});
  const auto& first = cpu::detail::plan_onednn(problem);
  CHECK(first.found);
  CHECK(&cpu::detail::plan_onednn(problem) == &first);
  problem.last_image = 1;
  CHECK(&cpu::detail::plan_onednn(problem) != &first);
}
#else
TEST_CASE("this build is without oneDNN") {}
#endif
