// SPDX-License-Identifier: Apache-2.0
// Programs that convert elements, choose among them, or clip them.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {
namespace {

/// To dtypes of 8 bytes and more, or to the smaller ones. Neighbouring threads load and store neighbouring vectors, of
/// up to 16 bytes.
template <int from, bool to_large>
struct CastBody {
  using T = Storage<from>;
  using U = BitsOf<T>;
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int N = size == 16 ? 1 : size == 8 || to_large ? 2 : 4, G = 8 / N;

  int returned;
  DeviceSource<U> a;
  char* to;

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Place& place) const {
    std::uint32_t x[words_for<U, Place::W>];
    a.load(place, x);
    to_any(place, x, std::make_integer_sequence<int, XP_DTYPE_COUNT>{});
  }

 private:
  template <class Place, int... dtypes>
  KOKKOS_FORCEINLINE_FUNCTION void to_any(const Place& place, const std::uint32_t* x,
                                          std::integer_sequence<int, dtypes...>) const {
    ((returned == dtypes ? to_one<dtypes>(place, x) : void()), ...);
  }
  template <int dtype, class Place>
  KOKKOS_FORCEINLINE_FUNCTION void to_one(const Place& place, const std::uint32_t* x) const {
    using To = Storage<dtype>;
    if constexpr (dtype != from && (sizeof(To) >= 8) == to_large) {
      using R = BitsOf<To>;
      std::uint32_t result[words_for<R, Place::W>];
      XP_UNROLL
      for (int k = 0; k < Place::W; ++k)
        put_element<R>(result, k, bits_as<R>(convert<To>(bits_as<T>(element_of<U>(x, k)))));
      place.template store<R>(to, result);
    }
  }
};

template <int from, bool to_large>
void launch_cast(const Space& space, const Single& single) {
  using Body = CastBody<from, to_large>;
  const Body body{single.returned, DeviceSource<typename Body::U>(single.a), single.to};
  DenseKernel<Body, Body::N, Body::G, 128, 12>::launch(space, single.label, single.count, single.aligned, body);
}
template <int... dtypes>
void launch_cast(const Space& space, const Single& single, std::integer_sequence<int, dtypes...>) {
  const bool to_large = dtype_sizes[single.returned] >= 8;
  ((single.dtype != dtypes ? void()
    : to_large             ? launch_cast<dtypes, true>(space, single)
                           : launch_cast<dtypes, false>(space, single)),
   ...);
}

template <class U>
struct WhereBody {
  static constexpr int size = static_cast<int>(sizeof(U)), N = 16 / size, G = 2;

  DeviceSource<std::uint8_t> condition;
  DeviceSource<U> a, b;
  char* to;

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Place& place) const {
    constexpr int W = Place::W;
    std::uint32_t truth[words_for<std::uint8_t, W>], x[words_for<U, W>], y[words_for<U, W>], result[words_for<U, W>];
    condition.load(place, truth);
    a.load(place, x);
    b.load(place, y);
    XP_UNROLL
    for (int k = 0; k < W; ++k)
      put_element<U>(result, k, element_of<std::uint8_t>(truth, k) != 0 ? element_of<U>(x, k) : element_of<U>(y, k));
    place.template store<U>(to, result);
  }
};
template <class U>
void launch_where(const Space& space, const Single& single) {
  using Body = WhereBody<U>;
  const Body body{DeviceSource<std::uint8_t>(single.condition), DeviceSource<U>(single.a), DeviceSource<U>(single.b),
                  single.to};
  DenseKernel<Body, Body::N, Body::G, 128, 8>::launch(space, single.label, single.count, single.aligned, body);
}

template <int dtype>
struct ClipBody {
  using U = BitsOf<Storage<dtype>>;
  using Elements = ElementsOf<dtype>;
  static constexpr int size = static_cast<int>(sizeof(U)), N = 16 / size, G = 2;

  DeviceSource<U> a, lower, upper;
  char* to;

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Place& place) const {
    constexpr int W = Place::W, words = words_for<U, W>;
    std::uint32_t x[words], y[words], raised[words] = {}, result[words] = {};
    a.load(place, x);
    lower.load(place, y);
    Elements::template compute<Op::maximum, W>(x, y, raised);
    upper.load(place, y);
    Elements::template compute<Op::minimum, W>(raised, y, result);
    place.template store<U>(to, result);
  }
};
template <int dtype>
bool launch_clip(const Space& space, const Single& single) {
  if constexpr (kind_of(dtype) == Kind::complex || dtype == XP_BOOL) {
    return false;
  } else {
    using Body = ClipBody<dtype>;
    using U = typename Body::U;
    const Body body{DeviceSource<U>(single.a), DeviceSource<U>(single.b), DeviceSource<U>(single.upper), single.to};
    DenseKernel<Body, Body::N, Body::G, 128, 8>::launch(space, single.label, single.count, single.aligned, body);
    return true;
  }
}
template <int... dtypes>
bool launch_clip(const Space& space, const Single& single, std::integer_sequence<int, dtypes...>) {
  return ((single.dtype == dtypes && launch_clip<dtypes>(space, single)) || ...);
}

}  // namespace

bool launch_single_clip(const Space& space, const Single& single) {
  return launch_clip(space, single, std::make_integer_sequence<int, XP_DTYPE_COUNT>{});
}

void launch_single_cast(const Space& space, const Single& single) {
  launch_cast(space, single, std::make_integer_sequence<int, XP_DTYPE_COUNT>{});
}

void launch_single_where(const Space& space, const Single& single) {
  if (single.dtype == XP_COMPLEX64) return launch_where<Word2>(space, single);
  switch (dtype_sizes[single.dtype]) {
    case 1:
      return launch_where<std::uint8_t>(space, single);
    case 2:
      return launch_where<std::uint16_t>(space, single);
    case 4:
      return launch_where<std::uint32_t>(space, single);
    case 8:
      return launch_where<std::uint64_t>(space, single);
    default:
      return launch_where<Pair8>(space, single);
  }
}

}  // namespace xp::kernels
