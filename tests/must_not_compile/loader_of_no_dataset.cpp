// expect: weft: a data set has size() const and get(i) const
#include <weft/data/loader.hpp>

struct Words {
  int64_t size() const { return 3; }
  std::tuple<weft::Tensor<int64_t>> batch(const int64_t*, int64_t count) const {
    return {weft::zeros<int64_t>({count})};
  }
};

void f() { weft::data::DataLoader loader(Words{}, {.batch_size = 2}); }
