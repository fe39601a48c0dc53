// SPDX-License-Identifier: Apache-2.0
// Basic indexing, and the other views: transpose, reshape, broadcast_to.
#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using oracle::Extents;
using oracle::Rng;
using oracle::View;
using xp::all;
using xp::Array;
using xp::ellipsis;
using xp::IndexItem;
using xp::newaxis;
using xp::none;
using xp::slice;
using Doubles = std::vector<double>;

class Indexing : public OnDevice {
 protected:
  Array iota(const xp::Shape& shape) const {
    return xp::arange(0, xp::element_count(shape), 1, xp::float64, device).reshape(shape);
  }
};

TEST_P(Indexing, Literals) {
  const Array x = iota({3, 4});
  EXPECT_EQ(x(1).to_vector<double>(), (Doubles{4, 5, 6, 7}));
  EXPECT_EQ(x(-1, -1).item<double>(), 11);
  EXPECT_EQ(x(all, 2).to_vector<double>(), (Doubles{2, 6, 10}));
  EXPECT_EQ(x(slice(1, none), slice(none, none, 2)).to_vector<double>(), (Doubles{4, 6, 8, 10}));
  EXPECT_EQ(x(slice(none, none, -1), 0).to_vector<double>(), (Doubles{8, 4, 0}));
  EXPECT_EQ(x(ellipsis, 1).to_vector<double>(), (Doubles{1, 5, 9}));
  EXPECT_EQ(x(newaxis, all, newaxis, 1).shape(), (xp::Shape{1, 3, 1}));
  EXPECT_EQ(x(slice(2)).shape(), (xp::Shape{2, 4}));
  EXPECT_EQ(x(slice(5, 2)).shape(), (xp::Shape{0, 4}));
  EXPECT_EQ(x(ellipsis).shape(), x.shape());
  EXPECT_EQ(x().shape(), x.shape());
  EXPECT_EQ(x(0, 0, newaxis).shape(), (xp::Shape{1}));
  const Array scalar = xp::ones({}, device);
  EXPECT_EQ(scalar(ellipsis).ndim(), 0);
  EXPECT_EQ(scalar(newaxis).shape(), (xp::Shape{1}));
}

TEST_P(Indexing, ViewsWriteThrough) {
  const Array x = xp::zeros({3, 4}, device);
  x(1) = 5;
  x(all, 0) = xp::array({1.0, 2.0, 3.0}, device);
  x(slice(none, none, 2), slice(2, none)) += 10;
  EXPECT_EQ(x.to_vector<double>(), (Doubles{1, 0, 10, 10, 2, 5, 5, 5, 3, 0, 10, 10}));
  x(2, ellipsis) = xp::array({7, 8, 9, 10}, device);  // any cast
  EXPECT_EQ(x(2).to_vector<double>(), (Doubles{7, 8, 9, 10}));
  Array row = x(0);
  row = xp::ones({4}, device);  // rebinds the name
  EXPECT_EQ(x(0, 2).item<double>(), 10);
  x(0).assign(row);
  EXPECT_EQ(x(0).to_vector<double>(), Doubles(4, 1));
  x(slice(0, 0)) = 99;
  EXPECT_EQ(xp::sum(x(0)).item<double>(), 4);
}

TEST_P(Indexing, ErrorsInNumPysWords) {
  const Array x = iota({3}), m = iota({3, 4});
  auto message = [](auto&& f) { return message_of<xp::IndexError>(f); };
  auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(contains(message([&] { x(5); }), "index 5 is out of bounds for axis 0 with size 3"));
  EXPECT_TRUE(contains(message([&] { x(-4); }), "index -4 is out of bounds for axis 0 with size 3"));
  EXPECT_TRUE(contains(message([&] { m(0, 4); }), "index 4 is out of bounds for axis 1 with size 4"));
  EXPECT_TRUE(contains(message([&] { m(ellipsis, 4); }), "index 4 is out of bounds for axis 1 with size 4"));
  EXPECT_TRUE(
      contains(message([&] { x(0, 0); }), "too many indices for array: array is 1-dimensional, but 2 were indexed"));
  EXPECT_TRUE(contains(message([&] { xp::ones({}, device)(0); }),
                       "too many indices for array: array is 0-dimensional, but 1 were indexed"));
  EXPECT_TRUE(contains(message([&] { m(ellipsis, ellipsis); }), "an index can only have a single ellipsis ('...')"));
  EXPECT_TRUE(contains(message([&] { x(slice(0, 3, 0)); }), "slice step cannot be zero"));
  EXPECT_TRUE(contains(message([&] { iota({0})(0); }), "index 0 is out of bounds for axis 0 with size 0"));
}

// Python's slice.indices, written as its documentation says.
struct Range {
  Index start, count;
};
Range python_slice(std::optional<Index> start, std::optional<Index> stop, Index step, Index n) {
  std::vector<Index> picked;
  auto bound = [n](Index i, Index low, Index high) { return std::min(std::max(i < 0 ? i + n : i, low), high); };
  const Index from = start ? bound(*start, step < 0 ? -1 : 0, step < 0 ? n - 1 : n) : step < 0 ? n - 1 : 0;
  const Index to = stop ? bound(*stop, step < 0 ? -1 : 0, step < 0 ? n - 1 : n) : step < 0 ? -1 : n;
  for (Index i = from; step > 0 ? i < to : i > to; i += step) picked.push_back(i);
  return {picked.empty() ? 0 : picked[0], static_cast<Index>(picked.size())};
}

TEST_P(Indexing, RandomIndicesAgainstTheOracle) {
  Rng rng(1234);
  for (int round = 0; round < 400; ++round) {
    Extents shape(static_cast<std::size_t>(rng.between(0, 5)));
    for (Index& extent : shape) extent = rng.between(rng.chance(10) ? 0 : 1, 6);
    const View source = View::of(oracle::random_buffer(xp::int32, oracle::product(shape), rng), shape);
    Array x = oracle::upload(*source.storage, xp::Shape(shape), device);
    View view = source;
    for (int step = 0; step < 3; ++step) {  // an index of an index of an index
      std::vector<IndexItem> items;
      View next{view.storage, view.offset, {}, {}};
      std::size_t axis = 0;
      bool dotted = false;
      while (true) {
        if (rng.chance(15)) {
          items.emplace_back(newaxis);
          next.shape.push_back(1);
          next.strides.push_back(0);
          continue;
        }
        if (axis == view.shape.size()) break;
        const Index n = view.shape[axis], stride = view.strides[axis];
        const Index choice = rng.below(10);
        if (choice == 0 && !dotted) {
          dotted = true;
          const auto skipped = static_cast<std::size_t>(rng.below(static_cast<Index>(view.shape.size() - axis) + 1));
          // The ellipsis stands for exactly `skipped` axes only if all that follow are named.
          items.emplace_back(ellipsis);
          for (std::size_t k = 0; k < skipped; ++k, ++axis) {
            next.shape.push_back(view.shape[axis]);
            next.strides.push_back(view.strides[axis]);
          }
          continue;
        }
        if (choice <= 2 && n > 0) {
          const Index i = rng.between(-n, n - 1);
          items.emplace_back(i);
          next.offset += (i < 0 ? i + n : i) * stride;
          ++axis;
          continue;
        }
        if (choice == 3 && !dotted) break;  // the remaining axes are whole
        std::optional<Index> start, stop;
        if (rng.chance(70)) start = rng.between(-n - 3, n + 3);
        if (rng.chance(70)) stop = rng.between(-n - 3, n + 3);
        Index by = rng.between(-3, 3);
        if (by == 0) by = rng.chance(50) ? 1000 : -1000;
        const Range range = python_slice(start, stop, by, n);
        items.emplace_back(slice(start, stop, by));
        next.offset += range.start * stride;
        next.shape.push_back(range.count);
        next.strides.push_back(by * stride);
        ++axis;
      }
      for (; axis < view.shape.size(); ++axis) {
        next.shape.push_back(view.shape[axis]);
        next.strides.push_back(view.strides[axis]);
      }
      view = next;
      x = x.index(items);
      ASSERT_EQ(oracle::extents(x.shape()), view.shape) << "round " << round;
      ASSERT_TRUE(oracle::equal(x, view.gather())) << "round " << round;
    }
    // Written through the last view, seen by the whole.
    const Array whole = x;
    x += 1;
    view.scatter(oracle::apply(oracle::Op::add, view.gather(), [&] {
      oracle::Buffer ones(xp::int32, view.size());
      for (Index i = 0; i < view.size(); ++i) ones.data<std::int32_t>()[i] = 1;
      return ones;
    }()));
    ASSERT_TRUE(oracle::equal(whole, view.gather())) << "round " << round;
  }
}

TEST_P(Indexing, ExtremeSlices) {
  const Array x = iota({5});
  const Index most = std::numeric_limits<Index>::max(), least = std::numeric_limits<Index>::min();
  EXPECT_EQ(x(slice(least, most)).to_vector<double>(), (Doubles{0, 1, 2, 3, 4}));
  EXPECT_EQ(x(slice(0, most, most)).to_vector<double>(), (Doubles{0}));
  EXPECT_EQ(x(slice(most, least, -1)).to_vector<double>(), (Doubles{4, 3, 2, 1, 0}));
  EXPECT_EQ(x(slice(most, least, least)).to_vector<double>(), (Doubles{4}));
  EXPECT_EQ(x(slice(most, most)).size(), 0);
  EXPECT_THROW(x(least), xp::IndexError);
  EXPECT_THROW(x(most), xp::IndexError);
}

TEST_P(Indexing, Transposes) {
  const Array x = iota({2, 3, 4});
  EXPECT_EQ(x.T().shape(), (xp::Shape{4, 3, 2}));
  EXPECT_EQ(x.transpose({1, 2, 0}).shape(), (xp::Shape{3, 4, 2}));
  EXPECT_EQ(x.transpose({1, 2, 0})(2, 3, 1).item<double>(), 23);
  EXPECT_EQ(x.transpose({-1, 0, 1})(3, 1, 2).item<double>(), 23);
  EXPECT_TRUE(xp::may_share_memory(x, x.T()));
  EXPECT_TRUE(x.T().is_f_contiguous());
  EXPECT_FALSE(x.T().is_c_contiguous());
  EXPECT_THROW(x.transpose({0, 1}), xp::ShapeError);
  EXPECT_THROW(x.transpose({0, 1, 1}), xp::ShapeError);
  EXPECT_THROW(x.transpose({0, 1, 3}), xp::Error);
}

TEST_P(Indexing, Reshapes) {
  const Array x = iota({2, 3, 4});
  EXPECT_EQ(x.reshape({6, 4})(5, 3).item<double>(), 23);
  EXPECT_EQ(x.reshape({-1}).shape(), (xp::Shape{24}));
  EXPECT_EQ(x.reshape({4, -1}).shape(), (xp::Shape{4, 6}));
  EXPECT_TRUE(xp::may_share_memory(x, x.reshape({6, 4})));
  // A view where strides allow it: here the last two axes stay together under the slice.
  const Array part = x(all, slice(0, 2));
  EXPECT_TRUE(xp::may_share_memory(x, part.reshape({2, 8})));
  EXPECT_EQ(part.reshape({2, 8})(1, 7).item<double>(), 19);
  EXPECT_FALSE(xp::may_share_memory(x, part.reshape({16})));
  EXPECT_EQ(part.reshape({16})(15).item<double>(), 19);
  EXPECT_EQ(x.T().reshape({24})(1).item<double>(), 12);
  EXPECT_EQ(x.T().ravel()(23).item<double>(), 23);
  EXPECT_EQ(x.reshape({2, 1, 3, 1, 4}).shape(), (xp::Shape{2, 1, 3, 1, 4}));
  EXPECT_EQ(xp::ones({}, device).reshape({1, 1}).shape(), (xp::Shape{1, 1}));
  EXPECT_EQ(xp::ones({1}, device).reshape({}).ndim(), 0);
  EXPECT_EQ(iota({0, 3}).reshape({3, 0}).shape(), (xp::Shape{3, 0}));
  const std::string message = message_of<xp::ShapeError>([&] { x.reshape({5, 5}); });
  EXPECT_NE(message.find("cannot reshape array of size 24 into shape (5,5)"), std::string::npos) << message;
  EXPECT_THROW(x.reshape({-1, -1}), xp::ShapeError);
  EXPECT_THROW(x.reshape({-1, 7}), xp::ShapeError);
  EXPECT_THROW(iota({0}).reshape({-1, 0}), xp::ShapeError);
}

TEST_P(Indexing, RandomReshapesOfViewsAgainstTheOracle) {
  Rng rng(77);
  for (int round = 0; round < 200; ++round) {
    const LaidOut x = lay_out(oracle::random_buffer(xp::int16, 24, rng), {2, 3, 4},
                              layouts[static_cast<std::size_t>(rng.below(8))], device, rng);
    for (const Extents& to :
         {Extents{24}, {6, 4}, {2, 12}, {4, 6}, {3, 2, 4}, {2, 3, 2, 2}, {1, 24}, {24, 1}, {2, 3, 4}, {2, 1, 3, 4}})
      ASSERT_TRUE(oracle::equal(x.array.reshape(xp::Shape(to)), x.values)) << xp::to_string(xp::Shape(to));
  }
}

TEST_P(Indexing, BroadcastsAgainstTheOracle) {
  Rng rng(31);
  for (int round = 0; round < 300; ++round) {
    Extents full(static_cast<std::size_t>(rng.between(0, 5)));
    for (Index& extent : full) extent = rng.between(rng.chance(5) ? 0 : 1, 5);
    View operands[2];
    Array arrays[2];
    for (int i = 0; i < 2; ++i) {
      Extents shape(full.end() - static_cast<std::ptrdiff_t>(rng.below(static_cast<Index>(full.size()) + 1)),
                    full.end());
      for (Index& extent : shape)
        if (rng.chance(30)) extent = 1;
      operands[i] =
          View::of(oracle::random_buffer(xp::float32, oracle::product(shape), rng, oracle::Flavour::finite), shape);
      arrays[i] = oracle::upload(*operands[i].storage, xp::Shape(shape), device);
    }
    const Extents joint = oracle::broadcast(operands[0].shape, operands[1].shape);
    const oracle::Buffer a = operands[0].broadcast_to(joint).gather(), b = operands[1].broadcast_to(joint).gather();
    const Array difference = arrays[0] - arrays[1];
    ASSERT_EQ(oracle::extents(difference.shape()), joint);
    ASSERT_TRUE(oracle::equal(difference, oracle::apply(oracle::Op::subtract, a, b))) << "round " << round;
    ASSERT_TRUE(oracle::equal(arrays[0].broadcast_to(xp::Shape(joint)), a)) << "round " << round;
    // In a program that has the joint shape already.
    const Array chained = (arrays[0] + arrays[1]) * arrays[0] - arrays[1];
    using oracle::Op;
    ASSERT_TRUE(oracle::equal(
        chained, oracle::apply(Op::subtract, oracle::apply(Op::multiply, oracle::apply(Op::add, a, b), a), b)))
        << "round " << round;
  }
}

TEST_P(Indexing, BroadcastErrors) {
  const Array x = iota({2, 3});
  EXPECT_THROW(x.broadcast_to({3}), xp::ShapeError);
  EXPECT_THROW(x.broadcast_to({2, 4}), xp::ShapeError);
  EXPECT_THROW(x.broadcast_to({2, -3}), xp::ShapeError);
  EXPECT_EQ(x.broadcast_to({5, 2, 3}).shape(), (xp::Shape{5, 2, 3}));
  EXPECT_EQ(iota({1}).broadcast_to({0}).size(), 0);
  EXPECT_THROW(iota({2}).broadcast_to({0}), xp::ShapeError);
  EXPECT_EQ(xp::broadcast_shapes({2, 1, 4}, {3, 1}), (xp::Shape{2, 3, 4}));
  EXPECT_EQ(xp::broadcast_shapes({0, 1}, {1, 3}), (xp::Shape{0, 3}));
  EXPECT_THROW(xp::broadcast_shapes({2}, {0}), xp::ShapeError);
}

TEST_P(Indexing, MoreDimensionsThanAProgramTakes) {
  // Twelve axes that do not collapse: an array with its own transpose.
  Rng rng(12);
  const Extents shape(12, 2);
  const View view = View::of(oracle::random_buffer(xp::float64, 4096, rng, oracle::Flavour::finite), shape);
  const Array x = oracle::upload(*view.storage, xp::Shape(shape), device);
  const oracle::Buffer a = view.gather(), b = view.transpose().gather();
  EXPECT_TRUE(oracle::equal(x - x.T(), oracle::apply(oracle::Op::subtract, a, b)));
  EXPECT_TRUE(oracle::equal(x.T().copy(), b));
  Array y = x.copy();
  y += y.T();
  EXPECT_TRUE(oracle::equal(y, oracle::apply(oracle::Op::add, a, b)));
  EXPECT_TRUE(oracle::equal(
      x(1, ellipsis, 0),
      View{view.storage, 2048, Extents(10, 2), Extents(view.strides.begin() + 1, view.strides.end() - 1)}.gather()));
}

TEST_P(Indexing, OffsetsHave64Bits) {
  // Views that name few elements far apart.
  const Index far = Index{1} << 40;
  const Array repeated = iota({3}).reshape({3, 1}).broadcast_to({3, far})(all, slice(none, none, far / 4));
  EXPECT_EQ((repeated + 1).to_vector<double>(), (Doubles{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  EXPECT_THROW(iota({1}).broadcast_to({Index{1} << 62}), xp::ShapeError);  // its bytes exceed 63 bits
  const Index size = Index{5} << 29;
  if (interpreted() || xp::memory_info(device).free < 4 * size) return;
  const Array x = xp::empty({size}, xp::int8, device)(slice(none, none, Index{1} << 29));
  x.assign(xp::arange(1, 6, 1, {}, device));
  const Array y = (x + x)(slice(none, none, -1)) * x;
  EXPECT_EQ(y.to_vector<std::int8_t>(), (std::vector<std::int8_t>{10, 16, 18, 16, 10}));
  xp::empty_cache(device);
}

TEST_P(Indexing, CopiesKeepTheAxisOrderAndAreDense) {
  const Array x = iota({2, 3, 4}).transpose({2, 0, 1});
  const Array copy = x.copy();
  EXPECT_EQ(copy.strides(), x.strides());
  EXPECT_EQ(copy.to_vector<double>(), x.to_vector<double>());
  EXPECT_FALSE(xp::may_share_memory(x, copy));
  const Array dense = iota({10})(slice(none, none, 3)).copy();
  EXPECT_TRUE(dense.is_c_contiguous());
  EXPECT_EQ(dense.to_vector<double>(), (Doubles{0, 3, 6, 9}));
}

TEST_P(Indexing, ResultsKeepTheAxisOrderOfTheirOperands) {
  const Array f = iota({2, 3, 4}).T(), other = iota({2, 3, 4}).T();
  EXPECT_EQ((f + 1).strides(), f.strides());
  EXPECT_EQ((f * other).strides(), f.strides());
  EXPECT_EQ(xp::sqrt(f).strides(), f.strides());
  EXPECT_EQ(f.astype(xp::float32).strides(), f.strides());
  EXPECT_EQ((f + iota({1})).strides(), f.strides());  // a smaller operand has no say
  EXPECT_TRUE((iota({4, 3, 2}) + 1).is_c_contiguous());
  EXPECT_TRUE((iota({10})(slice(none, none, 2)) + 1).is_c_contiguous());
  EXPECT_TRUE((iota({3}).broadcast_to({4, 3}) + 1).writeable());
}

// Kernels turn tiles of such matrices: sizes about those of tiles, in every width of an element.
TEST_P(Indexing, MatricesReadAlongTheirColumns) {
  const xp::DType dtypes[] = {xp::int8,    xp::uint8,   xp::int16,  xp::float16,   xp::bfloat16,  xp::int32,
                              xp::float32, xp::float64, xp::uint64, xp::complex64, xp::complex128};
  for (const xp::DType dtype : dtypes)
    for (const auto& [rows, columns] :
         {std::pair<Index, Index>{16, 16}, {17, 65}, {64, 64}, {65, 33}, {130, 31}, {3, 200}}) {
      // Small numbers, exact in every dtype.
      const Array x = (iota({rows, columns}) % 11).astype(dtype), y = (iota({columns, rows}) % 7).astype(dtype);
      Array padded = xp::zeros({rows + 2, columns + 3}, dtype, device);
      xp::synchronize();
      xp::subtract(x, y.T(), {.out = padded(slice(1, -1), slice(2, -1))});
      const Array sum = x + y.T(), product = y.T() * 2, equal = x == y.T(),
                  copied = xp::empty({rows, columns}, dtype, device);
      copied.assign(y.T());
      const Array both = x.T() + y;
      auto numbers = [](const Array& array) { return xp::real(array).astype(xp::float64).to_vector<double>(); };
      const Doubles sums = numbers(sum), products = numbers(product), equals = numbers(equal), copies = numbers(copied),
                    boths = numbers(both), differences = numbers(padded);
      const bool wraps = dtype == xp::uint8 || dtype == xp::uint64;
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < columns; ++c) {
          const auto k = static_cast<std::size_t>(r * columns + c), turned = static_cast<std::size_t>(c * rows + r);
          const auto left = static_cast<double>((r * columns + c) % 11),
                     right = static_cast<double>((c * rows + r) % 7);
          ASSERT_EQ(sums[k], left + right) << xp::name(dtype) << ' ' << r << ' ' << c;
          ASSERT_EQ(boths[turned], left + right) << xp::name(dtype) << ' ' << r << ' ' << c;
          ASSERT_EQ(products[k], 2 * right) << xp::name(dtype) << ' ' << r << ' ' << c;
          ASSERT_EQ(copies[k], right) << xp::name(dtype) << ' ' << r << ' ' << c;
          ASSERT_EQ(equals[k], left == right ? 1.0 : 0.0) << xp::name(dtype) << ' ' << r << ' ' << c;
          const double difference = differences[static_cast<std::size_t>((r + 1) * (columns + 3) + c + 2)];
          if (!wraps || left >= right) {
            ASSERT_EQ(difference, left - right) << xp::name(dtype) << ' ' << r << ' ' << c;
          }
        }
      double edge = 0;
      for (Index c = 0; c < columns + 3; ++c) edge += differences[static_cast<std::size_t>(c)];
      for (Index r = 0; r < rows + 2; ++r)
        edge += differences[static_cast<std::size_t>(r * (columns + 3) + columns + 2)];
      EXPECT_EQ(edge, 0) << xp::name(dtype);
    }
}

XP_INSTANTIATE_ON_DEVICES(Indexing);

}  // namespace
