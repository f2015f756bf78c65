#include "weft/nn/watched.hpp"

#include <string>

#include "test.hpp"

using namespace weft;
using namespace weft::nn::detail;

namespace {
struct Result {
  Shape shape() const { return {2, 3}; }
};
struct Layer {
  int options = 0;
  Result operator()() const {
    const Watched watched(*this);
    return watched(Result{});
  }
};
struct Log final : Watcher {
  std::string text;
  void enter(const void*, const char* type) override {
    text += type == &type_mark<Layer> ? "enter " : "other ";
  }
  void leave(const void*, const char*, const Shape& result) override {
    text += std::to_string(result[1]) + " ";
  }
};
}  // namespace

TEST_CASE("a layer tells its thread's watcher, if there is one") {
  const Layer layer;
  Log log;
  (void)layer();
  CHECK(log.text.empty());
  watcher() = &log;
  (void)layer();
  watcher() = nullptr;
  (void)layer();
  CHECK(log.text == "enter 3 ");
}
