#include "weft/cuda/gradient/norm_kernel.hpp"

#include "test.hpp"

using weft::cuda::detail::plan_norm;

TEST_CASE("[nogpu] the threads of a norm's gradients hold each row") {
  for (const int64_t columns : {4, 8, 60, 64, 68, 512, 516, 1024, 4096, 8192}) {
    for (const int64_t rows : {1, 5, 300, 1 << 20}) {
      CAPTURE(columns);
      CAPTURE(rows);
      unsigned group = 0;
      unsigned rows_a_block = 0;
      unsigned blocks = 0;
      const unsigned threads = plan_norm(rows, columns, 4, 16, 132, group, rows_a_block, blocks);
      CHECK(threads % 32 == 0);
      CHECK(threads <= weft::cuda::norm_threads);
      CHECK(group * rows_a_block == threads);
      CHECK(group * 16 >= columns);
      CHECK(blocks >= 1);
      CHECK(blocks <= rows);
      CHECK((blocks * int64_t{rows_a_block} >= rows || blocks * threads >= 132 * 256));
    }
  }
}

TEST_CASE("[nogpu] the threads of rows that are taken element by element") {
  for (const int64_t columns : {1, 7, 17, 127, 128}) {
    unsigned group = 0;
    unsigned rows_a_block = 0;
    unsigned blocks = 0;
    const unsigned threads = plan_norm(1 << 20, columns, 1, 4, 132, group, rows_a_block, blocks);
    CHECK(group <= 32);
    CHECK(group * 4 >= columns);
    CHECK(group * rows_a_block == threads);
    CHECK(blocks * threads == 132 * 1536);
  }
}
