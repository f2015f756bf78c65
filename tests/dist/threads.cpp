#include "weft/dist/threads.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("each device has its thread") {
  const std::vector<Cpu> devices(3);
  CHECK(dist::all_devices<Cpu>().size() == 1);
  std::thread::id ids[3];
  bool records[3];
  {
    const NoGrad none;
    dist::for_each_device(devices, [&](std::size_t i, Cpu) {
      ids[i] = std::this_thread::get_id();
      records[i] = is_grad_enabled();
    });
  }
  CHECK(ids[0] == std::this_thread::get_id());
  CHECK(ids[1] != ids[2]);
  CHECK(!records[1]);
  CHECK_SAYS("two", dist::for_each_device(devices, [](std::size_t i, Cpu) {
               if (i == 2) fail<ValueError>("test", "two");
             }));
}

TEST_CASE("tasks go to whoever is free, and results stay in order") {
  const std::vector<Cpu> devices(2);
  const auto squares = dist::map_tasks(devices, 20, [](int task, Cpu) { return task * task; });
  REQUIRE(squares.size() == 20);
  for (int i = 0; i < 20; ++i) CHECK(squares[static_cast<std::size_t>(i)] == i * i);
  std::atomic<int> ran = 0;
  CHECK_SAYS("task 3", dist::map_tasks(devices, 1000, [&](int task, Cpu) {
               ++ran;
               if (task == 3) fail<ValueError>("test", "task ", task);
               std::this_thread::sleep_for(std::chrono::milliseconds(1));
               return 0;
             }));
  CHECK(ran < 1000);
  CHECK_SAYS("no devices", dist::map_tasks(std::vector<Cpu>{}, 1, [](int, Cpu) { return 0; }));
}
