// lazy_vector: a std::vector for functions that few of the files that include them call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace weft::detail {

template <class T, class U>
struct Lazy {
  using type = U;
};

/// std::vector<U>, which a template of T instantiates where it is called. A plain one is
/// instantiated by every file that includes the template, whether it calls it or not:
/// number_text.hpp took a twentieth of the time that all headers take.
template <class T, class U>
using lazy_vector = std::vector<typename Lazy<T, U>::type>;

}  // namespace weft::detail
