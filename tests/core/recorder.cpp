#include "weft/core/recorder.hpp"

#include "test.hpp"

template <class D>
inline constexpr bool has_recorder = requires {
  sizeof(weft::Recorder<D>);
};

TEST_CASE("the CPU has no recorder") {
  CHECK_FALSE(has_recorder<weft::Cpu>);
#ifdef __CUDACC__
  CHECK(has_recorder<weft::Cuda>);
#endif
}
