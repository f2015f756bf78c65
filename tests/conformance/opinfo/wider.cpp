// PyTorch's functions of integers, writes by indices, sets, products under further names.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"
#include "weft/linalg.hpp"
#include "weft/special.hpp"
#include "weft/statistics.hpp"

namespace conformance {

namespace {

template <class F>
Run integers(F) {
  return [](Sample& s) { s.out(F{}(s.ints("input"), s.ints("other"))); };
}

/// f(sample, x, source), with gradients for both, or values where there are none.
template <class F>
Run from_source(F) {
  return [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y) { u.out(F{}(u, x, y)); }, "input", "source");
  };
}

template <class F>
void combining(const Sample& s, F f) {
  const std::string how = s.word("reduce");
  if (how == "sum") return f(weft::combine::sum);
  if (how == "prod") return f(weft::combine::prod);
  if (how == "mean") return f(weft::combine::mean);
  if (how == "amax") return f(weft::combine::max);
  if (how == "amin") return f(weft::combine::min);
  s.reject("a reduction " + how);
}

/// A tensor to write to, which for gradients is a Var already.
template <class X>
auto target(const X& x) {
  if constexpr (weft::detail::has_var<X>) {
    return x;
  } else {
    return x.clone();
  }
}

void scatter_combined(Sample& s) {
  s.over(
      [](Sample& u, const auto& x, const auto& y) {
        combining(u, [&](auto how) {
          u.out(weft::scatter_reduce(target(x), axis(u.integer("dim")), u.ints("index"), y, how,
                                     u.flag("include_self", true)));
        });
      },
      "input", "src");
}
void index_combined(Sample& s) {
  s.over(
      [](Sample& u, const auto& x, const auto& y) {
        combining(u, [&](auto how) {
          u.out(weft::index_reduce(target(x), axis(u.integer("dim")), u.ints("index"), y, how,
                                   u.flag("include_self", true)));
        });
      },
      "input", "source");
}

template <class X>
void all_of_grid(Sample& s, const std::vector<X>& m) {
  const auto order = s.word("indexing", "ij") == "xy" ? weft::Meshgrid::xy : weft::Meshgrid::ij;
  const auto each = [&](const auto&... grids) { (s.out(grids.eval()), ...); };
  if (m.size() == 1) return std::apply(each, weft::meshgrid(order, m[0]));
  if (m.size() == 2) return std::apply(each, weft::meshgrid(order, m[0], m[1]));
  if (m.size() == 3) return std::apply(each, weft::meshgrid(order, m[0], m[1], m[2]));
  s.reject("more operands");
}
template <class X>
void all_stretched(Sample& s, const std::vector<X>& m) {
  const auto each = [&](const auto&... parts) { (s.out(parts.eval()), ...); };
  if (m.size() == 2) return std::apply(each, weft::broadcast_tensors(m[0], m[1]));
  if (m.size() == 3) return std::apply(each, weft::broadcast_tensors(m[0], m[1], m[2]));
  s.reject("more operands");
}
template <class X>
void all_products(Sample& s, const std::vector<X>& m) {
  if (m.size() == 1) return s.out(m[0].reshape({-1}));
  if (m.size() == 2) return s.out(weft::cartesian_prod(m[0], m[1]));
  if (m.size() == 3) return s.out(weft::cartesian_prod(m[0], m[1], m[2]));
  s.reject("more operands");
}
template <class X>
void in_blocks(Sample& s, const std::vector<X>& m) {
  if (m.size() == 1) return s.out(weft::block_diag(m[0]));
  if (m.size() == 2) return s.out(weft::block_diag(m[0], m[1]));
  if (m.size() == 3) return s.out(weft::block_diag(m[0], m[1], m[2]));
  if (m.size() == 4) return s.out(weft::block_diag(m[0], m[1], m[2], m[3]));
  s.reject("more operands");
}

/// f of a list of operands, with gradients or without.
template <class F>
Run listed(F) {
  return [](Sample& s) {
    s.wants_gradients() ? F{}(s, s.list<Var<double>>("input")) : F{}(s, s.list<Double>("input"));
  };
}

std::vector<Ints> indices_of(const Sample& s) {
  std::vector<Ints> out;
  for (int i = 0; s.is_tensor("indices." + std::to_string(i)); ++i) {
    const std::string key = "indices." + std::to_string(i);
    if (s.value(key).tensor.dtype() == weft::Dtype::boolean) s.reject("masks as indices");
    out.push_back(s.ints(key));
  }
  if (out.empty()) s.reject("indices of another kind");
  return out;
}

/// A matrix norm by the name or number that PyTorch has for it, over the last two axes.
template <class X>
auto norm_of_matrix(const Sample& s, const X& x, const char* key) {
  const auto dims = s.integers("dim", {-2, -1});
  const int rank = x.rank();
  const auto place = [&](std::size_t i) { return (dims.at(i) + rank) % rank; };
  if (dims.size() != 2) s.reject("norms of vectors under matrix_norm's name");
  const auto m = weft::movedim(x, {place(0), place(1)}, {-2, -1});
  const std::string word = s.word(key, "fro");
  const auto y = s.has_option(key) && word.empty() ? weft::matrix_norm(m, s.number(key, 2))
                 : word == "nuc"                   ? weft::matrix_norm(m, weft::MatrixNorm::nuclear)
                                                   : weft::matrix_norm(m);
  if (!s.flag("keepdim")) return y;
  Shape shape = x.shape();
  shape[static_cast<int>(place(0))] = shape[static_cast<int>(place(1))] = 1;
  return y.reshape(shape);
}

}  // namespace

static const Group group([](Runs& t) {
  t["bitwise_and"] = t["__rand__"] = integers([](const auto& x, const auto& y) { return x & y; });
  t["bitwise_or"] = t["__ror__"] = integers([](const auto& x, const auto& y) { return x | y; });
  t["bitwise_xor"] = t["__rxor__"] = integers([](const auto& x, const auto& y) { return x ^ y; });
  t["gcd"] = integers([](const auto& x, const auto& y) { return gcd(x, y); });
  t["lcm"] = integers([](const auto& x, const auto& y) { return lcm(x, y); });
  t["bitwise_not"] = [](Sample& s) { s.out(~s.ints("input")); };
  t["unravel_index"] = [](Sample& s) {
    const auto shape = s.has_option("shape") ? to_shape(s.integers("shape")) : Shape{};
    for (const auto& x : weft::unravel_index(s.ints("input"), shape)) s.out(x);
  };
  t["nn.functional.one_hot"] = [](Sample& s) {
    const int64_t classes = s.integer("num_classes", -1);
    classes < 0 ? s.out(weft::one_hot(s.ints("input")))
                : s.out(weft::one_hot(s.ints("input"), classes));
  };
  t["bincount"] = [](Sample& s) {
    const int64_t least = s.integer("minlength");
    s.given("weights") ? s.out(weft::bincount(s.ints("input"), s.tensor("weights"), least))
                       : s.out(weft::bincount(s.ints("input"), least));
  };
  t["logical_not"] = plain([](const auto& x) { return x == 0; });
  t["float_power"] = binary([](const auto& x, const auto& y) { return weft::float_power(x, y); });
  t["__rpow__"] = binary([](const auto& x, const auto& y) { return pow(y, x); });
  t["__rdiv__"] = binary([](const auto& x, const auto& y) { return y / x; });
  t["__rmod__"] = binary([](const auto& x, const auto& y) { return remainder(y, x); });
  t["polygamma.polygamma_n_0"] = with([](Sample& s, const auto& x) {
    s.out(weft::polygamma(static_cast<int>(s.integer("n")), x));
  });
  t["mvlgamma.mvlgamma_p_1"] = with([](Sample& s, const auto& x) {
    s.out(weft::multigammaln(x, static_cast<int>(s.integer("p"))));
  });
  t["frexp"] = with([](Sample& s, const auto& x) {
    const auto [fraction, exponent] = weft::frexp(x);
    s.out(fraction);
    s.out(exponent);
  });

  t["scatter_reduce.sum"] = scatter_combined;
  t["index_reduce.mean"] = index_combined;
  t["scatter"] = [](Sample& s) {
    if (s.has_option("reduce")) s.reject("a reduction in scatter, which PyTorch deprecates");
    const auto write = [&](const auto& x, const auto& y) {
      s.out(scatter(target(x), axis(s.integer("dim")), s.ints("index"), y));
    };
    if (!s.is_tensor("src")) {
      return s.over([&](Sample& u, const auto& x) { write(x, u.number("src", 0)); }, "input");
    }
    s.over([&](Sample&, const auto& x, const auto& y) { write(x, y); }, "input", "src");
  };
  t["index_copy"] = from_source([](Sample& s, const auto& x, const auto& y) {
    return index_copy(target(x), axis(s.integer("dim")), s.ints("index"), y);
  });
  t["put"] = from_source([](Sample& s, const auto& x, const auto& y) {
    if (s.flag("accumulate")) {
      const auto at = s.ints("index");
      return put_add(target(x), at, y.reshape(at.shape()));
    }
    return put(target(x), s.ints("index"), y);
  });
  t["index_fill"] = [](Sample& s) {
    if (s.is_tensor("value")) s.reject("a value in a tensor");
    s.over(
        [](Sample& u, const auto& x) {
          u.out(
              index_fill(target(x), axis(u.integer("dim")), u.ints("index"), u.number("value", 0)));
        },
        "input");
  };
  t["index_put"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          const auto at = indices_of(u);
          u.flag("accumulate") ? u.out(weft::index_put_add(target(x), at, y))
                               : u.out(weft::index_put(target(x), at, y));
        },
        "input", "values");
  };
  t["fill"] = [](Sample& s) {
    const Double x = s.tensor("input").clone();
    x.fill(s.number("value", 0));
    s.out(x);
  };
  t["zeros_like"] = plain([](const auto& x) { return weft::zeros_like(x); });
  t["ones_like"] = plain([](const auto& x) { return weft::ones_like(x); });
  t["full_like"] = [](Sample& s) {
    s.out(weft::full_like(s.tensor("input"), s.number("fill_value", 0)));
  };

  t["meshgrid.variadic_tensors"] = listed([](Sample& s, const auto& m) { all_of_grid(s, m); });
  t["broadcast_tensors"] = listed([](Sample& s, const auto& m) { all_stretched(s, m); });
  t["cartesian_prod"] = listed([](Sample& s, const auto& m) { all_products(s, m); });
  t["block_diag"] = listed([](Sample& s, const auto& m) { in_blocks(s, m); });
  t["combinations"] = with([](Sample& s, const auto& x) {
    s.out(weft::combinations(x, s.integer("r", 2), s.flag("with_replacement")));
  });
  t["sum_to_size"] = with(
      [](Sample& s, const auto& x) { s.out(weft::sum_to_size(x, to_shape(s.integers("size")))); });
  t["expand_as"] = with([](Sample& s, const auto& x) { s.out(x.expand(s.shape("other"))); });
  t["view_as"] = t["reshape_as"] =
      with([](Sample& s, const auto& x) { s.out(x.reshape(s.shape("other"))); });
  t["T"] = with([](Sample& s, const auto& x) { s.out(x.t()); });
  t["mT"] = with([](Sample& s, const auto& x) { s.out(x.transpose(-1, -2)); });
  t["linalg.diagonal"] = with([](Sample& s, const auto& x) {
    s.out(x.diagonal(s.integer("offset"), s.integer("dim1", -2), s.integer("dim2", -1)));
  });

  t["mode"] = with([](Sample& s, const auto& x) {
    const auto along = axis(s.integer("dim", -1));
    const auto [values, indices] = weft::mode(x, along, keepdims);
    const auto rest = x.rank() == 0 ? weft::Axes{} : along;
    s.out(kept(s, values, rest));
    s.out(kept(s, indices, rest));
  });
  t["nanmedian"] = with([](Sample& s, const auto& x) {
    if (!s.given("dim")) return s.out(weft::nanmedian(x));
    const auto along = axis(s.integer("dim"));
    const auto [values, indices] = weft::nanmedian(x, along, keepdims);
    const auto rest = x.rank() == 0 ? weft::Axes{} : along;
    s.out(kept(s, values, rest));
    s.out(kept(s, indices, rest));
  });
  t["cov"] = with([](Sample& s, const auto& x) {
    if (s.given("fweights") || s.given("aweights")) s.reject("weights of observations");
    s.out(weft::cov(x, weft::correction(s.integer("correction", 1))));
  });
  t["corrcoef"] = with([](Sample& s, const auto& x) { s.out(weft::corrcoef(x)); });
  t["histc"] = [](Sample& s) {
    const Double x = s.tensor("input");
    const int64_t bins = s.integer("bins", 100);
    const double low = s.number("min", 0);
    const double high = s.number("max", 0);
    s.out(weft::cast<double>(low == high ? Ints(weft::histogram(x, bins))
                                         : Ints(weft::histogram(x, bins, low, high))));
  };

  t["dist"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x,
              const auto& y) { u.out(weft::vector_norm(x - y, u.number("p", 2))); },
           "input", "other");
  };
  t["cdist"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y) { u.out(cdist(x, y, u.number("p", 2))); },
           "input", "x2");
  };
  t["linalg.matrix_norm"] =
      with([](Sample& s, const auto& x) { s.out(norm_of_matrix(s, x, "ord")); });
  t["linalg.cond"] = with([](Sample& s, const auto& x) {
    const std::string word = s.word("p");
    if (word == "nuc") return s.out(weft::cond(x, weft::MatrixNorm::nuclear));
    if (word == "fro") return s.out(weft::cond(x, weft::MatrixNorm::frobenius));
    s.out(weft::cond(x, s.number("p", 2)));
  });
  t["linalg.matrix_rank"] = [](Sample& s) {
    if (s.given("tol") || s.flag("hermitian")) s.reject("tolerances of ranks");
    s.out(weft::matrix_rank(s.tensor("input")));
  };
  // Vectors are unique but for their signs.
  t["linalg.eigh"] = with([](Sample& s, const auto& x) {
    if (s.word("UPLO", "L") == "U") s.reject("a symmetric matrix from its upper triangle");
    const auto [values, vectors] = weft::eigh(x);
    s.out(values);
    s.out(abs(vectors));
  });
  t["linalg.eigvalsh"] = unary([](const auto& x) { return weft::eigvalsh(x); });
  t["linalg.svd"] = with([](Sample& s, const auto& x) {
    if (s.flag("full_matrices", true) && x.shape()[x.rank() - 1] != x.shape()[x.rank() - 2]) {
      s.reject("vectors of no singular value");
    }
    const auto [u, values, vh] = weft::svd(x);
    s.out(abs(u));
    s.out(values);
    s.out(abs(vh));
  });
  t["linalg.lu"] = with([](Sample& s, const auto& x) {
    if (!s.flag("pivot", true)) s.reject("factorisations without exchanges");
    const auto [p, l, u] = weft::lu(x);
    s.out(p);
    s.out(l);
    s.out(u);
  });
  t["cholesky_solve"] = [](Sample& s) {
    s.over([](Sample& u, const auto& b,
              const auto& l) { u.out(weft::cholesky_solve(b, l, u.flag("upper"))); },
           "input", "input2");
  };
  t["cholesky_inverse"] = with([](Sample& s, const auto& l) {
    const auto one = weft::eye<double>(l.shape()[l.rank() - 1]);
    s.out(weft::cholesky_solve(one, l, s.flag("upper")));
  });
  t["linalg.lstsq.grad_oriented"] = [](Sample& s) {
    s.over([](Sample& u, const auto& a, const auto& b) { u.out(weft::lstsq(a, b).solution); },
           "input", "other");
  };
  t["triangular_solve"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& b, const auto& a) {
          u.out(weft::triangular_solve(a, b,
                                       {.upper = u.flag("upper", true),
                                        .transposed = u.flag("transpose"),
                                        .unit = u.flag("unitriangular")}));
          u.out(a);
        },
        "input", "A");
  };
  t["linalg.solve_triangular"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& a, const auto& b) {
          u.out(weft::solve_triangular(a, b,
                                       {.upper = u.flag("upper"),
                                        .left = u.flag("left", true),
                                        .unitriangular = u.flag("unitriangular")}));
        },
        "input", "other");
  };
  t["inner"] = binary([](const auto& x, const auto& y) { return weft::inner(x, y); });
  t["vdot"] = binary([](const auto& x, const auto& y) { return weft::vdot(x, y); });
  t["linalg.vecdot"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x,
              const auto& y) { u.out(weft::vecdot(x, y, axis(u.integer("dim", -1)))); },
           "input", "other");
  };
  t["addbmm"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& c, const auto& a, const auto& b) {
          const double beta = u.number("beta", 1);
          // PyTorch leaves c out where beta is 0, NaN and all.
          const auto product = u.number("alpha", 1) * sum(matmul(a, b), axis(0));
          beta == 0 ? u.out(product) : u.out(beta * c + product);
        },
        "input", "batch1", "batch2");
  };
});

}  // namespace conformance
