// A table from a CSV file: statistics by group, and a line through the points.
// SPDX-License-Identifier: Apache-2.0
#include <weft/data.hpp>
#include <weft/weft.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

using namespace weft;

int main() {
  const std::string path = std::filesystem::temp_directory_path() / "weft_gallery_flowers.csv";
  std::ofstream(path) << "species,length,width\n"
                         "a,5.1,3.5\nb,7.0,3.2\na,4.9,3.0\nb,6.4,3.2\na,4.7,3.2\nb,6.9,3.1\n";
  auto table = data::load_csv(path);
  auto length = table.column<float>("length");
  auto width = table.column<float>("width");
  auto [species, names] = table.categories("species");

  for (int k = 0; k < 2; ++k) {
    auto mine = species == k;
    std::cout << names[k] << ": length " << mean(length[mine]) << ", width " << mean(width[mine])
              << "\n";
  }

  auto x = length - mean(length);
  float slope = sum(x * (width - mean(width))) / sum(square(x));
  std::cout << "width falls or grows by " << slope << " for each unit of length\n";
  std::filesystem::remove(path);
  return std::abs(mean(length[species == 0]).item() - 4.9F) < 1e-5F && table.rows() == 6 ? 0 : 1;
}
