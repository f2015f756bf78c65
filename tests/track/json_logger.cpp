// SPDX-License-Identifier: Apache-2.0
#include <weft/track/json_logger.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::track::JsonLogger;

TEST_CASE("an object a line, and a file that goes on") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  JsonLogger{path}({{"step", 1}, {"loss", 0.5F}, {"best", true}});
  {
    JsonLogger log(path);
    log({{"text", "a \"b\"\n"}, {"nan", NAN}, {"far", -INFINITY}});
    log({});
    CHECK_SAYS("log.jsonl: a text that is not UTF-8 at byte 1", log({{"text", "a\xFF"}}));
    CHECK_SAYS("not UTF-8 at byte 0", log({{"\xC0", 1}}));
  }
  CHECK((test::read_bytes(path) ==
         "{\"step\": 1, \"loss\": 0.5, \"best\": true}\n"
         "{\"text\": \"a \\\"b\\\"\\n\", \"nan\": null, \"far\": null}\n{}\n"));
}
