// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tune/record.hpp>

#include <sstream>

#include "test.hpp"

using namespace weft::on_cuda::detail;

namespace {
const TunedRecord record{"NVIDIA H200", "rows 00ff", "narrow 7168x8", "threads=64",
                         40.5,          31.25,       "softmax(float)"};

/// A file of this content in a folder that is not there yet, removed at the end.
struct Scratch {
  std::filesystem::path folder;
  std::string path;
  explicit Scratch(const char* content = nullptr) {
    static int count = 0;
    folder = std::filesystem::temp_directory_path() /
             ("weft_tuned_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    path = (folder / "deep" / "tuned.txt").string();
    if (content == nullptr) return;
    std::filesystem::create_directories(folder / "deep");
    std::ofstream(path) << content;
  }
  ~Scratch() { std::filesystem::remove_all(folder); }
  std::string content() const {
    std::stringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
};
}  // namespace

TEST_CASE("a record survives its line") {
  std::string line = line_of(record);
  REQUIRE(line.back() == '\n');
  line.pop_back();
  TunedRecord read;
  REQUIRE(read_line(line, read));
  CHECK(read.key() == record.key());
  CHECK(read.choice == "threads=64");
  CHECK(read.planned == 40.5);
  CHECK(read.fastest == 31.25);
  CHECK(read.name == "softmax(float)");
  TunedRecord odd = record;
  odd.name = "a\tb\nc";
  CHECK(line_of(odd).find("a b c") != std::string::npos);
}

TEST_CASE("what is not a record is not read") {
  TunedRecord read;
  for (const char* line : {"", "a", "a\tb\tc\td\t1\t2", "a\tb\tc\td\tx\t2\tn",
                           "a\tb\tc\td\t1\t-2\tn", "a\tb\tc\td\t1\tinf\tn", "\tb\tc\td\t1\t2\tn",
                           "a\tb\tc\td\t1\t2\tn\t3", "a\tb\tc\td\t1 \t2\tn"}) {
    CAPTURE(line);
    CHECK_FALSE(read_line(line, read));
  }
  CHECK(read_line("a\tb\tc\td\t1\t2\t", read));
}

TEST_CASE("a file is made with its folders, appended to and read again") {
  const Scratch scratch;
  std::string complaint;
  TunedFile file(scratch.path);
  CHECK(file.read(complaint).empty());  // there is none
  CHECK(complaint.empty());
  CHECK(file.append(record, complaint));
  CHECK(file.append(record, complaint));
  CHECK(file.is_usable());
  CHECK(complaint.empty());
  CHECK(scratch.content() == std::string(tuned_header) + "\n" + line_of(record) + line_of(record));
  CHECK(TunedFile(scratch.path).read(complaint).size() == 2);
}

TEST_CASE("damaged lines are left out, and one line says how many") {
  const Scratch scratch(
      ("# weft: tuned choices, format 1\nnonsense\n" + line_of(record) +
       "# weft: tuned choices, format 1\n\nNVIDIA H200\trows 00ff\tnarrow 7168x8\tthre")
          .c_str());
  std::string complaint;
  TunedFile file(scratch.path);
  CHECK(file.read(complaint).size() == 1);
  CHECK(complaint == scratch.path + ": 2 lines are not understood and left out");
}

TEST_CASE("another program's file is neither used nor changed") {
  for (const char* content : {"hello\n", "# weft: tuned choices, format 2\nx\n", "\n"}) {
    const Scratch scratch(content);
    std::string complaint;
    TunedFile file(scratch.path);
    CHECK(file.read(complaint).empty());
    CHECK(complaint.find("is not a file of tuned choices") != std::string::npos);
    CHECK_FALSE(file.append(record, complaint));
    CHECK(complaint.empty());  // said once
    CHECK_FALSE(file.is_usable());
    CHECK(scratch.content() == content);
  }
  const Scratch empty("");
  std::string complaint;
  TunedFile file(empty.path);
  CHECK(file.read(complaint).empty());
  CHECK(complaint.empty());
  CHECK(file.append(record, complaint));
}

TEST_CASE("where nothing can be written, one line says so") {
  const Scratch scratch("a file, not a folder");
  std::string complaint;
  TunedFile file(scratch.path + "/tuned.txt");
  CHECK(file.read(complaint).empty());
  CHECK_FALSE(file.append(record, complaint));
  CHECK(complaint.find("cannot be written") != std::string::npos);
  CHECK_FALSE(file.is_usable());
  CHECK_FALSE(file.append(record, complaint));
  CHECK(complaint.empty());
  TunedFile folder(scratch.folder.string());
  CHECK(folder.read(complaint).empty());
  CHECK(complaint.find("cannot be read") != std::string::npos);
  TunedFile nowhere("");
  CHECK(nowhere.read(complaint).empty());
  CHECK_FALSE(nowhere.append(record, complaint));
  CHECK(complaint.empty());
}

TEST_CASE("the file's place") {
  const auto with = [](const char* file, const char* caches, const char* home) {
    std::string kept[3];
    const char* const names[] = {"WEFT_TUNE_FILE", "XDG_CACHE_HOME", "HOME"};
    const char* const values[] = {file, caches, home};
    bool was[3];
    for (int i = 0; i < 3; ++i) {
      const char* const now = std::getenv(names[i]);
      was[i] = now != nullptr;
      if (was[i]) kept[i] = now;
      values[i] != nullptr ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
    }
    const std::string out = TunedFile::default_path();
    for (int i = 0; i < 3; ++i) {
      was[i] ? setenv(names[i], kept[i].c_str(), 1) : unsetenv(names[i]);
    }
    return out;
  };
  CHECK(with("/a/b", "/c", "/d") == "/a/b");
  CHECK(with("", "/c", "/d") == "");
  CHECK(with(nullptr, "/c", "/d") == "/c/weft/tuned.txt");
  CHECK(with(nullptr, nullptr, "/d") == "/d/.cache/weft/tuned.txt");
  CHECK(with(nullptr, nullptr, nullptr) == "");
}

TEST_CASE("hashes are the same in every run, sizes of a class are near each other") {
  CHECK(stable_hash("") == (14695981039346656037U ^ WEFT_VERSION));
  CHECK(stable_hash("ab") != stable_hash("ba"));
  CHECK(size_class(0) == 0);
  CHECK(size_class(197) == 197);
  CHECK(size_class(256) == 256);
  CHECK(size_class(257) == 256);
  CHECK(size_class(366948) == 327680);
  CHECK(size_class(std::int64_t{1} << 40) == std::int64_t{1} << 40);
  for (std::int64_t n = 1; n < 100000; n += 7) {
    CHECK(size_class(n) <= n);
    CHECK(5 * size_class(n) > 4 * n - 5);
    CHECK(size_class(size_class(n)) == size_class(n));
  }
}
