// SPDX-License-Identifier: Apache-2.0
#include <weft/track/csv_logger.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::track::CsvLogger;

TEST_CASE("rows under the names of the first") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  {
    CsvLogger log(path);
    log({{"step", 1}, {"loss", 0.5F}, {"note", "one, \"two\""}});
    log({{"loss", 0.25}, {"step", 2}});
    CHECK_SAYS("log.csv: a value 'los', expected only names of the first row: step, loss, note",
               log({{"los", 1}}));
    log({{"note", "two\nlines"}});
    log.flush();
  }
  CHECK((test::read_bytes(path) ==
         "step,loss,note\n1,0.5,\"one, \"\"two\"\"\"\n2,0.25,\n,,\"two\nlines\"\n"));
}
