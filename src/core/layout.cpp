// SPDX-License-Identifier: Apache-2.0
#include "core/layout.hpp"

#include <xp/error.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <ostream>

namespace xp {

void Shape::grow(std::size_t count) {
  const std::size_t capacity = std::max<std::size_t>(count, 2 * static_cast<std::size_t>(capacity_));
  auto* values = new Index[capacity];
  std::copy_n(data(), size_, values);
  if (capacity_ > inline_capacity) delete[] heap_;
  heap_ = values;
  capacity_ = static_cast<std::uint32_t>(capacity);
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ',';
    text += std::to_string(shape[i]);
  }
  if (shape.size() == 1) text += ',';
  return text + ')';
}

std::ostream& operator<<(std::ostream& stream, const Shape& shape) { return stream << to_string(shape); }

Index element_count(const Shape& shape) {
  Index count = 1;
  bool overflow = false;
  bool is_empty = false;
  for (const Index extent : shape) {
    if (extent < 0) throw ShapeError("negative dimensions are not allowed (" + to_string(shape) + ")");
    is_empty |= extent == 0;
    overflow |= __builtin_mul_overflow(count, std::max<Index>(extent, 1), &count);
  }
  if (is_empty) return 0;
  if (overflow)
    throw ShapeError("array is too big: the number of elements of " + to_string(shape) + " exceeds 64 bits");
  return count;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const Index extent = shorter[i];
    Index& target = result[shift + i];
    if (target == 1) {
      target = extent;
    } else if (extent != 1 && extent != target) {
      throw ShapeError("operands could not be broadcast together with shapes " + to_string(a) + " " + to_string(b));
    }
  }
  return result;
}

namespace detail {

namespace {

// Wraps: the extents of an array without elements may exceed everything, and its strides do not matter.
Index times(Index a, Index b) {
  return static_cast<Index>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

Shape contiguous_strides(const Shape& shape) {
  Shape strides;
  strides.resize_uninitialized(shape.size());
  Index step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step = times(step, std::max<Index>(shape[i], 1));
  }
  return strides;
}

bool is_contiguous(const Shape& shape, const Shape& strides) {
  Index step = 1;
  bool contiguous = true;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const Index extent = shape[i];
    if (extent == 0) return true;
    if (extent != 1) {
      contiguous &= strides[i] == step;
      step *= extent;
    }
  }
  return contiguous;
}

Shape broadcast_strides(const Shape& from, const Shape& strides, const Shape& shape) {
  Shape result = Shape::filled(shape.size(), 0);
  const std::size_t shift = shape.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1) result[shift + i] = strides[i];
  return result;
}

Shape strides_in_order_of(const Shape& shape, const Shape& model) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return std::abs(model[i]) > std::abs(model[j]); });
  Shape strides;
  strides.resize_uninitialized(shape.size());
  Index step = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = step;
    step = times(step, std::max<Index>(shape[order[k]], 1));
  }
  return strides;
}

bool is_injective(const Shape& shape, const Shape& strides) {
  std::vector<std::pair<Index, Index>> axes;  // |stride|, extent
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return true;
    if (shape[i] > 1) axes.emplace_back(std::abs(strides[i]), shape[i]);
  }
  std::sort(axes.begin(), axes.end());
  Index reach = 0;  // greatest offset within the axes so far
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
  }
  return true;
}

Extent extent_of(const Shape& shape, const Shape& strides) {
  Extent extent;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {};
    const Index reach = strides[i] * (shape[i] - 1);
    (reach < 0 ? extent.low : extent.high) += reach;
  }
  return extent;
}

namespace {

// One term of sum(count * stride) = target, with low <= count <= high.
struct Term {
  Index stride, low, high;
};

// Is there a solution? Terms are sorted by descending stride, so that at each level only few counts are possible.
// `work` bounds the search.
bool solvable(std::span<const Term> terms, Index target, int& work) {
  if (--work <= 0) return true;  // unknown counts as overlap
  if (terms.empty()) return target == 0;
  Index rest_low = 0, rest_high = 0, gcd = 0;
  for (const Term& term : terms.subspan(1)) {
    rest_low += term.low * term.stride;
    rest_high += term.high * term.stride;
  }
  for (const Term& term : terms) gcd = std::gcd(gcd, term.stride);
  if (gcd != 0 && target % gcd != 0) return false;
  const Term& term = terms[0];
  auto floor_div = [](Index a, Index b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  const Index first = std::max(term.low, -floor_div(rest_high - target, term.stride));
  const Index last = std::min(term.high, floor_div(target - rest_low, term.stride));
  for (Index count = first; count <= last; ++count)
    if (solvable(terms.subspan(1), target - count * term.stride, work)) return true;
  return false;
}

}  // namespace

bool overlaps(const ByteView& a, const ByteView& b) {
  if (element_count(*a.shape) == 0 || element_count(*b.shape) == 0) return false;
  const Extent ea = extent_of(*a.shape, *a.strides), eb = extent_of(*b.shape, *b.strides);
  const std::intptr_t a_low = a.address + ea.low * a.itemsize, a_high = a.address + (ea.high + 1) * a.itemsize;
  const std::intptr_t b_low = b.address + eb.low * b.itemsize, b_high = b.address + (eb.high + 1) * b.itemsize;
  if (a_high <= b_low || b_high <= a_low) return false;

  // address_a + sum(i_k s_k) + p = address_b + sum(j_k t_k) + q, with p and q bytes inside an element. Terms of equal
  // stride merge; negative strides are mirrored.
  std::vector<Term> terms;
  auto add_term = [&terms](Index stride, Index low, Index high) {
    if (stride < 0) {
      stride = -stride;
      std::swap(low, high);
      low = -low;
      high = -high;
    }
    if (stride == 0 || low == high) return;  // low == high == 0 here
    for (Term& term : terms) {
      if (term.stride == stride) {
        term.low += low;
        term.high += high;
        return;
      }
    }
    terms.push_back({stride, low, high});
  };
  for (std::size_t i = 0; i < a.shape->size(); ++i) add_term((*a.strides)[i] * a.itemsize, 0, (*a.shape)[i] - 1);
  for (std::size_t i = 0; i < b.shape->size(); ++i) add_term((*b.strides)[i] * b.itemsize, 1 - (*b.shape)[i], 0);
  add_term(1, 1 - b.itemsize, a.itemsize - 1);
  std::sort(terms.begin(), terms.end(), [](const Term& x, const Term& y) { return x.stride > y.stride; });
  int work = 4000;
  return solvable(terms, b.address - a.address, work);
}

namespace {

// Python's slice.indices: start and number of elements.
std::pair<Index, Index> resolve_slice(const Slice& slice, Index extent) {
  const Index step = slice.step;
  if (step == 0) throw IndexError("slice step cannot be zero");
  auto clamp = [&](Index value) {
    if (value < 0) value += extent;
    if (value < 0) return step < 0 ? Index{-1} : Index{0};
    if (value >= extent) return step < 0 ? extent - 1 : extent;
    return value;
  };
  const Index start = slice.start ? clamp(*slice.start) : (step < 0 ? extent - 1 : 0);
  const Index stop = slice.stop ? clamp(*slice.stop) : (step < 0 ? -1 : extent);
  Index count = 0;
  // Unsigned, because -step overflows for the least integer.
  if (step > 0 && stop > start)
    count = (stop - start - 1) / step + 1;
  else if (step < 0 && start > stop)
    count =
        static_cast<Index>(static_cast<std::uint64_t>(start - stop - 1) / (0 - static_cast<std::uint64_t>(step))) + 1;
  return {start, count};
}

}  // namespace

IndexedView apply_index(const Shape& shape, const Shape& strides, std::span<const IndexItem> items) {
  std::size_t consumed = 0;
  std::size_t ellipses = 0;
  for (const IndexItem& item : items) {
    consumed += item.kind() == IndexItem::Kind::integer || item.kind() == IndexItem::Kind::slice;
    ellipses += item.kind() == IndexItem::Kind::dots;
  }
  if (ellipses > 1) throw IndexError("an index can only have a single ellipsis ('...')");
  if (consumed > shape.size())
    throw IndexError("too many indices for array: array is " + std::to_string(shape.size()) + "-dimensional, but " +
                     std::to_string(consumed) + " were indexed");
  IndexedView view;
  std::size_t axis = 0;
  auto keep_axes = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++axis) {
      view.shape.push_back(shape[axis]);
      view.strides.push_back(strides[axis]);
    }
  };
  for (const IndexItem& item : items) {
    switch (item.kind()) {
      case IndexItem::Kind::new_axis:
        view.shape.push_back(1);
        view.strides.push_back(0);
        break;
      case IndexItem::Kind::dots:
        keep_axes(shape.size() - consumed);
        break;
      case IndexItem::Kind::integer: {
        Index i = item.integer();
        if (i < -shape[axis] || i >= shape[axis])
          throw IndexError("index " + std::to_string(i) + " is out of bounds for axis " + std::to_string(axis) +
                           " with size " + std::to_string(shape[axis]));
        if (i < 0) i += shape[axis];
        view.offset += i * strides[axis];
        ++axis;
        break;
      }
      case IndexItem::Kind::slice: {
        const auto [start, count] = resolve_slice(item.slice(), shape[axis]);
        view.shape.push_back(count);
        // Of an axis with one element or none, the stride does not matter; a huge step must not overflow it.
        view.strides.push_back(count > 1 ? strides[axis] * item.slice().step : strides[axis]);
        if (count > 0) view.offset += start * strides[axis];
        ++axis;
        break;
      }
    }
  }
  keep_axes(shape.size() - axis);
  return view;
}

bool reshape_strides(const Shape& shape, const Shape& strides, const Shape& to, Shape& result) {
  // Runs of old axes that lie in one piece are matched with runs of new axes of the same size.
  Shape old_shape, old_strides;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    old_shape.push_back(shape[i]);
    old_strides.push_back(strides[i]);
  }
  result = Shape::filled(to.size(), 0);
  std::size_t old_begin = 0, new_begin = 0;
  while (new_begin < to.size() && old_begin < old_shape.size()) {
    std::size_t old_end = old_begin + 1, new_end = new_begin + 1;
    Index old_size = old_shape[old_begin], new_size = to[new_begin];
    while (old_size != new_size) {
      if (new_size < old_size) {
        new_size *= to[new_end++];
      } else {
        old_size *= old_shape[old_end++];
      }
    }
    for (std::size_t i = old_begin; i + 1 < old_end; ++i)
      if (old_strides[i] != old_strides[i + 1] * old_shape[i + 1]) return false;
    Index step = old_strides[old_end - 1];
    for (std::size_t i = new_end; i-- > new_begin;) {
      result[i] = step;
      step *= to[i];
    }
    old_begin = old_end;
    new_begin = new_end;
  }
  const Index last = result.empty() || new_begin == 0 ? 1 : result[new_begin - 1];
  for (std::size_t i = new_begin; i < to.size(); ++i) result[i] = last;  // extents of 1
  return true;
}

Shape resolve_reshape(Index size, const Shape& to) {
  Shape result = to;
  std::size_t unknown = to.size();
  Shape known;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == -1) {
      if (unknown != to.size()) throw ShapeError("can only specify one unknown dimension");
      unknown = i;
    } else {
      known.push_back(to[i]);
    }
  }
  const Index count = element_count(known);
  const bool fits = unknown == to.size() ? count == size : count != 0 && size % count == 0;
  if (!fits) throw ShapeError("cannot reshape array of size " + std::to_string(size) + " into shape " + to_string(to));
  if (unknown != to.size()) result[unknown] = size / count;
  return result;
}

bool advance(std::vector<Index>& index, const Shape& shape) {
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace detail
}  // namespace xp
