// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/storage.hpp>

#include <thread>
#include <vector>

#include "test.hpp"

using weft::Storage;
using weft::StorageHandle;

namespace {

int released = 0;

Storage* make() {
  auto* storage = new Storage;
  storage->release = [](Storage* s) noexcept {
    ++released;
    delete s;
  };
  return storage;
}

}  // namespace

TEST_CASE("the last handle releases the storage") {
  released = 0;
  {
    StorageHandle a(make());
    CHECK(a.owners() == 1);
    StorageHandle b = a;
    CHECK(a.owners() == 2);
    CHECK(b.get() == a.get());
    StorageHandle c = static_cast<StorageHandle&&>(b);
    CHECK(a.owners() == 2);
    CHECK_FALSE(b);
    a = StorageHandle(make());
    CHECK(released == 0);
    CHECK(c.owners() == 1);
    c = a;
    CHECK(released == 1);
    const StorageHandle& alias = c;
    c = alias;
    CHECK(c.owners() == 2);
  }
  CHECK(released == 2);
}

TEST_CASE("an empty handle is fine") {
  StorageHandle none;
  StorageHandle copy = none;
  copy = none;
  CHECK_FALSE(copy);
  CHECK(copy.get() == nullptr);
}

TEST_CASE("threads may share a storage") {
  released = 0;
  {
    Storage* storage = make();
    const StorageHandle shared(storage);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([storage, &shared] {
        for (int i = 0; i < 10000; ++i) {
          StorageHandle mine = shared;
          StorageHandle again = mine;
          mine = StorageHandle();
          storage->bump_version();
        }
      });
    }
    for (std::thread& t : threads) t.join();
    CHECK(shared.owners() == 1);
    CHECK(shared->current_version() == 40000);
  }
  CHECK(released == 1);
}

TEST_CASE_TEMPLATE("the thread that lets go last sees what the other wrote", D, TEST_DEVICES) {
  for (int i = 0; i < 50; ++i) {
    auto x = weft::zeros({16}, D{});
    std::thread other([mine = x] { mine += 1; });
    std::thread third([mine = x.shape()] { (void)mine.size(); });
    other.join();
    third.join();
    CHECK(x.storage()->owners == 1);
    const auto* before = x.data();
    x = x * 2;
    CHECK(x.data() == before);
    CHECK(x(0).item() == 2);
  }
}

TEST_CASE_TEMPLATE("a handle in another thread keeps its data", D, TEST_DEVICES) {
  for (int i = 0; i < 50; ++i) {
    auto x = weft::full({64}, 1.F, D{});
    float seen = 0;
    std::thread reader([mine = x, &seen] { seen = weft::sum(mine).item(); });
    x = x * 3;
    reader.join();
    CHECK(seen == 64);
    CHECK(weft::sum(x).item() == 192);
  }
}
