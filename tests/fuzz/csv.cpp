// SPDX-License-Identifier: Apache-2.0
#include <weft/data/csv.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  return fuzz::read([&] {
    const weft::data::CsvTable table = weft::data::load_csv(file.path());
    for (const std::string& name : table.names()) {
      fuzz::read([&] { fuzz::use(table.column<double>(name)); });
      fuzz::read([&] { fuzz::use(table.column<weft::int64_t>(name)); });
      fuzz::read([&] { (void)table.texts(name); });
    }
  });
}
