// Runs PyTorch's OpInfo samples: opinfo FILE, a line for each: its name, what came of it, why. Each
// is run with its operands contiguous, transposed, with gaps and in reverse.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "sample.hpp"

int main(int argc, char** argv) {
  using namespace conformance;
  for (int i = 1; i < argc; ++i) {
    for (Case& c : read_cases(argv[i])) {
      const char* result = "passed";
      std::string why;
      std::string where;
      try {
        for (const Placing placing : placings) {
          where = std::string(name(placing)) + " operands: ";
          Sample sample(c, placing);
          const auto run = runs().find(sample.name());
          if (run == runs().end()) throw NotExpressible("operators without a function here");
          run->second(sample);
          why = sample.check();
          if (why.empty()) continue;
          result = "failed";
          why = where + why;
          break;
        }
      } catch (const NotExpressible& e) {
        result = "not expressible";
        why = e.what();
      } catch (const std::exception& e) {
        result = "failed";
        why = where + e.what();
      }
      for (char& letter : why) letter = letter == '\n' || letter == '\t' ? ' ' : letter;
      std::printf("%s\t%s\t%s\n", c.name.c_str(), result, why.c_str());
    }
  }
  return 0;
}
