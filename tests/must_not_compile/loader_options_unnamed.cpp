// expect: weft: the options of a DataLoader have names
#include <weft/data/loader.hpp>

struct Numbers {
  int64_t size() const { return 3; }
  int64_t get(int64_t i) const { return i; }
};

void f() { weft::data::DataLoader loader(Numbers{}, 2, true); }
