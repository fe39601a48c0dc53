// SPDX-License-Identifier: Apache-2.0
// One operation of little code on matrices, of which some are read along their columns: a team works on a tile, and
// turns in scratch what is contiguous along the other axis.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {
namespace {

/// Where a matrix has its elements.
template <class U>
struct TiledSource {
  const char* data;
  U constant;
  std::int64_t down, along;  // strides in elements
  bool turned;

  explicit TiledSource(const SingleSource& source)
      : data(source.data), down(source.down), along(source.along), turned(source.turned) {
    std::memcpy(&constant, source.constant, sizeof constant);
  }
};

template <int dtype>
struct TiledKernel {
  using T = Storage<dtype>;
  using U = BitsOf<T>;
  using List = SingleOperations<dtype, Weight::light>;
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int threads = 256, team_size = full_team < threads ? full_team : threads;
  // Rows of a tile are long enough for memory, and threads have several loads in flight.
  // Two of them fit into the scratch of every space, which may be 32 KiB.
  static constexpr int rows = size <= 4 ? 64 : 32,
                       columns = size <= 2   ? 64
                                 : size <= 8 ? 32
                                             : 16,
                       W = rows * columns / team_size;
  /// So that neither reading along rows nor along columns meets one bank only.
  static constexpr int pitch = columns + 1;
  static_assert(2 * rows * pitch * size + 16 <= 32 << 10);
  using Words = std::uint32_t[words_for<U, W>];
  using Bounds = SingleBounds<threads, (size <= 2 ? 2 : size == 4 ? 3 : 4)>;
  using Member = typename Policy<Bounds>::member_type;

  int op;
  bool binary, to_bool, to_real;
  TiledSource<U> a, b;
  char* to;
  std::int64_t to_down, height, width;
  std::int64_t tiles, tiles_across;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* scratch = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(), 16));
    for (std::int64_t tile = team.league_rank(); tile < tiles; tile += team.league_size()) {
      if (tile != team.league_rank()) team.team_barrier();  // the tile before has been read
      const std::int64_t down = tile / tiles_across, along = tile - down * tiles_across;
      run(team, down * rows, along * columns, reinterpret_cast<Element<U>*>(scratch));
    }
  }
  KOKKOS_FUNCTION int scratch_bytes() const {
    return (static_cast<int>(a.turned) + static_cast<int>(b.turned)) * rows * pitch * size;
  }

 private:
  /// Element k of a thread, with neighbours along rows, or along columns.
  KOKKOS_FORCEINLINE_FUNCTION static int row(int rank, int k) { return (rank + k * team_size) / columns; }
  KOKKOS_FORCEINLINE_FUNCTION static int column(int rank, int k) { return (rank + k * team_size) % columns; }
  KOKKOS_FORCEINLINE_FUNCTION static int turned_row(int rank, int k) { return (rank + k * team_size) % rows; }
  KOKKOS_FORCEINLINE_FUNCTION static int turned_column(int rank, int k) { return (rank + k * team_size) / rows; }

  KOKKOS_FORCEINLINE_FUNCTION void run(const Member& team, std::int64_t top, std::int64_t left,
                                       Element<U>* scratch) const {
    const int rank = team.team_rank();
    const int high = height - top < rows ? static_cast<int>(height - top) : rows;
    const int wide = width - left < columns ? static_cast<int>(width - left) : columns;
    Words x = {}, y = {}, result = {};
    Element<U>* scratch_b = scratch + (a.turned ? rows * pitch : 0);
    // What lies along rows is on its way before what does not is waited for.
    if (!a.turned) load(a, rank, top, left, high, wide, x);
    if (binary && !b.turned) load(b, rank, top, left, high, wide, y);
    if (a.turned) stage(a, rank, top, left, high, wide, scratch);
    if (binary && b.turned) stage(b, rank, top, left, high, wide, scratch_b);
    team.team_barrier();
    if (a.turned) fetch(rank, scratch, x);
    if (binary && b.turned) fetch(rank, scratch_b, y);
    with_operation<List>(op, [&]<Op o>() { ElementsOf<dtype>::template compute<o, W>(x, y, result); });
    if (to_bool && size > 1) return store<std::uint8_t>(rank, top, left, high, wide, result);
    if constexpr (is_complex<T>)
      if (to_real) return store<BitsOf<decltype(T::re)>>(rank, top, left, high, wide, result);
    store<U>(rank, top, left, high, wide, result);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void load(const TiledSource<U>& source, int rank, std::int64_t top,
                                               std::int64_t left, int high, int wide, Words& words) {
    if (!source.data) {
      XP_UNROLL
      for (int k = 0; k < W; ++k) put_element<U>(words, k, source.constant);
      return;
    }
    const char* from = source.data + (top * source.down + left * source.along) * size;
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const int r = row(rank, k), c = column(rank, k);
      U value{};
      if (r < high && c < wide) value = read<U>(from + (r * source.down + c * source.along) * size);
      put_element<U>(words, k, value);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void stage(const TiledSource<U>& source, int rank, std::int64_t top,
                                                std::int64_t left, int high, int wide, Element<U>* scratch) {
    const char* from = source.data + (top * source.down + left * source.along) * size;
    U values[W];
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const int r = turned_row(rank, k), c = turned_column(rank, k);
      values[k] = U{};
      if (r < high && c < wide) values[k] = read<U>(from + (r * source.down + c * source.along) * size);
    }
    XP_UNROLL
    for (int k = 0; k < W; ++k) scratch[turned_row(rank, k) * pitch + turned_column(rank, k)].value = values[k];
  }
  KOKKOS_FORCEINLINE_FUNCTION static void fetch(int rank, const Element<U>* scratch, Words& words) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) put_element<U>(words, k, scratch[row(rank, k) * pitch + column(rank, k)].value);
  }
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION void store(int rank, std::int64_t top, std::int64_t left, int high, int wide,
                                         const Words& words) const {
    char* at = to + (top * to_down + left) * static_cast<std::int64_t>(sizeof(R));
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const int r = row(rank, k), c = column(rank, k);
      if (r < high && c < wide)
        write<R>(at + (r * to_down + c) * static_cast<std::int64_t>(sizeof(R)), element_of<R>(words, k));
    }
  }
};

template <int dtype>
bool launch(const Space& space, const Single& single) {
  using Kernel = TiledKernel<dtype>;
  if (!Kernel::List::has(single.op)) return false;
  const OpInfo& row = info(single.op);
  const std::int64_t down = (single.height + Kernel::rows - 1) / Kernel::rows,
                     across = (single.width + Kernel::columns - 1) / Kernel::columns;
  const Kernel kernel{static_cast<int>(single.op),
                      row.arity == 2,
                      row.returns == Returns::boolean,
                      row.returns == Returns::real && kind_of(dtype) == Kind::complex,
                      TiledSource<typename Kernel::U>(single.a),
                      TiledSource<typename Kernel::U>(single.b),
                      single.to,
                      single.to_down,
                      single.height,
                      single.width,
                      down * across,
                      across};
  const std::int64_t most = is_host_space ? std::int64_t{4} * space.concurrency() : std::int64_t{1} << 30;
  launch_teams<typename Kernel::Bounds>(single.label, space, std::min(kernel.tiles, most), Kernel::team_size,
                                        static_cast<std::size_t>(kernel.scratch_bytes()) + 16, kernel);
  return true;
}

template <int... dtypes>
bool launch(const Space& space, const Single& single, std::integer_sequence<int, dtypes...>) {
  bool launched = false;
  ((single.dtype == dtypes ? void(launched = launch<dtypes>(space, single)) : void()), ...);
  return launched;
}

}  // namespace

bool launch_single_tiled(const Space& space, const Single& single) {
  return launch(space, single, std::make_integer_sequence<int, XP_DTYPE_COUNT>{});
}

}  // namespace xp::kernels
