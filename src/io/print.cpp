// SPDX-License-Identifier: Apache-2.0
// Printing: fetches what will be shown, and no more, from the array's device.
#include <xp/io.hpp>

#include <cstring>
#include <ostream>
#include <utility>

#include "io/format.hpp"

namespace xp {
namespace {

// Up to this many elements one transfer of more than is shown beats several small ones.
constexpr Index one_transfer = 4096;

// The run of an axis' entries that is being fetched.
struct Piece {
  Index begin = 0, end = 0;
};

class Fetch {
 public:
  Fetch(const Array& array, detail::PrintData& data) : array_(array), data_(data), items_(array.shape().size(), all) {
    data_.bytes.resize(static_cast<std::size_t>(element_count(data_.kept) * array.itemsize()));
    choose_cuts();
    pieces_.resize(items_.size());
    for (std::size_t axis = 0; axis < pieces_.size(); ++axis) pieces_[axis] = {0, array.shape()[axis]};
    from_axis(0);
  }

 private:
  // Longest axes first: each cut doubles the number of transfers.
  void choose_cuts() {
    cut_.assign(items_.size(), false);
    Index size = array_.size();
    while (size > one_transfer) {
      std::size_t longest = items_.size();
      for (std::size_t axis = 0; axis < items_.size(); ++axis) {
        if (cut_[axis] || data_.kept[axis] == data_.shape[axis]) continue;
        if (longest == items_.size() || data_.shape[axis] > data_.shape[longest]) longest = axis;
      }
      if (longest == items_.size()) return;
      cut_[longest] = true;
      size = size / data_.shape[longest] * data_.kept[longest];
    }
  }

  void from_axis(std::size_t axis) {
    if (axis == items_.size()) return transfer();
    if (!cut_[axis]) return from_axis(axis + 1);
    const Index extent = data_.shape[axis], edge = data_.kept[axis] / 2;
    for (const Piece piece : {Piece{0, edge}, Piece{extent - edge, extent}}) {
      pieces_[axis] = piece;
      items_[axis] = slice(piece.begin, piece.end);
      from_axis(axis + 1);
    }
  }

  void transfer() {
    const Array block = array_.index(items_);
    std::vector<std::byte> bytes(static_cast<std::size_t>(block.nbytes()));
    block.copy_to_host(bytes.data());
    source_ = bytes.data();
    place(0, 0);
  }

  // Puts the kept elements of a block, in C order, where they belong.
  void place(std::size_t axis, Index target) {
    const auto itemsize = static_cast<std::size_t>(array_.itemsize());
    if (axis == pieces_.size()) {
      std::memcpy(data_.bytes.data() + static_cast<std::size_t>(target) * itemsize, source_, itemsize);
      source_ += itemsize;
      return;
    }
    const Piece& piece = pieces_[axis];
    const Index extent = data_.shape[axis], kept = data_.kept[axis], edge = kept / 2;
    for (Index i = piece.begin; i < piece.end; ++i) {
      if (kept == extent || i < edge)
        place(axis + 1, target * kept + i);
      else if (i >= extent - edge)
        place(axis + 1, target * kept + i - extent + kept);
      else
        skip(axis + 1);
    }
  }

  void skip(std::size_t axis) {
    Index count = array_.itemsize();
    for (; axis < pieces_.size(); ++axis) count *= pieces_[axis].end - pieces_[axis].begin;
    source_ += count;
  }

  const Array& array_;
  detail::PrintData& data_;
  std::vector<IndexItem> items_;
  std::vector<bool> cut_;
  std::vector<Piece> pieces_;
  const std::byte* source_ = nullptr;
};

detail::PrintData fetch(const Array& array, const PrintOptions& options) {
  if (!array.has_value()) throw Error("to_string: the array handle holds nothing");
  detail::PrintData data{array.dtype(), array.shape(), detail::printed_shape(array.shape(), options), {}};
  if (array.size() != 0) Fetch(array, data);
  return data;
}

}  // namespace

std::string to_string(const Array& array, const PrintOptions& options) {
  return detail::format_str(fetch(array, options), options);
}

std::string repr(const Array& array, const PrintOptions& options) {
  return detail::format_repr(fetch(array, options), options);
}

std::ostream& operator<<(std::ostream& stream, const Array& array) { return stream << to_string(array); }

}  // namespace xp
