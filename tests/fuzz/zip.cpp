// SPDX-License-Identifier: Apache-2.0
#include <weft/io/zip.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  return fuzz::read([&] {
    const weft::io::ZipFile zip("read", file.path());
    for (const weft::io::ZipEntry& entry : zip.entries()) {
      weft::io::ZipMember member(zip, entry);
      char bytes[4096];
      for (weft::int64_t left = member.size() < (1 << 22) ? member.size() : 0; left > 0;) {
        const weft::int64_t count = left < 4096 ? left : 4096;
        member.read(bytes, count);
        left -= count;
      }
      member.finish();
    }
  });
}
