// SPDX-License-Identifier: Apache-2.0
#include <weft/track/chrome_trace.hpp>

#include <thread>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::track::ChromeTrace;
using weft::track::TraceSpan;

TEST_CASE("the file's text") {
  ChromeTrace trace;
  CHECK((trace.json() == "{\"traceEvents\": [\n]}\n"));
  trace.name_group(1, "cuda:0");
  trace.add("add(\"x\")", 1, 2, 0.5, 0.50025);
  CHECK((
      trace.json() ==
      "{\"traceEvents\": [\n"
      "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"cuda:0\"}},\n"
      "{\"ph\": \"X\", \"name\": \"add(\\\"x\\\")\", \"pid\": 1, \"tid\": 2, \"ts\": 500000.000, "
      "\"dur\": 250.000}\n]}\n"));
}

TEST_CASE("spans of scopes, from several threads, in a file") {
  const test::TemporaryFolder folder;
  ChromeTrace trace;
  {
    const TraceSpan span(trace, "all");
    std::thread other([&] { const TraceSpan inner(trace, "part", 1); });
    other.join();
  }
  CHECK(trace.size() == 2);
  trace.save(folder / "trace.json");
  CHECK((test::read_bytes(folder / "trace.json") == trace.json()));
  const double before = ChromeTrace::now();
  CHECK(ChromeTrace::now() >= before);
  CHECK_SAYS("[ChromeTrace] ", trace.save(folder / "missing/trace.json"));
}
