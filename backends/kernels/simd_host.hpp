// SPDX-License-Identifier: Apache-2.0
// Vector types of the host variants (AVX-512, AVX2, SSE2) and the few operations that the compiler has no operator for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/functors.hpp"

namespace xp::kernels {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// A vector of T, `bytes` wide, with the compiler's operators.
template <class T, int bytes = vector_bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(bytes)));
};
template <class T, int bytes = vector_bytes>
using Vector = typename VectorOf<T, bytes>::type;

/// What a vector comparison returns: a signed integer of T's size in each lane.
template <class T>
using Signed = std::conditional_t<
    sizeof(T) == 8, std::int64_t,
    std::conditional_t<sizeof(T) == 4, std::int32_t, std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;
template <class T>
using Unsigned = std::make_unsigned_t<Signed<T>>;

template <class V>
inline V load_vector(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof(V));
  return value;
}

template <class V>
inline void store_vector(void* to, V value) {
  std::memcpy(to, &value, sizeof(V));
}

template <class T, int bytes = vector_bytes>
inline Vector<T, bytes> splat(T value) {
  return Vector<T, bytes>{} + value;
}

/// As splat, for floats: -0.0 + 0.0 would lose the sign.
template <class T>
inline Vector<T> splat_bits(T value) {
  return reinterpret_cast<Vector<T>>(splat<Unsigned<T>>(bits_as<Unsigned<T>>(value)));
}

/// The first `bytes` (fewer than a vector's) from memory, the others from `rest`.
template <class V>
inline V load_partial(V rest, const void* from, std::int64_t bytes) {
#if defined(__AVX512BW__)
  return reinterpret_cast<V>(
      _mm512_mask_loadu_epi8(reinterpret_cast<__m512i>(rest), (std::uint64_t{1} << bytes) - 1, from));
#else
  std::memcpy(&rest, from, static_cast<std::size_t>(bytes));
  return rest;
#endif
}
template <class V>
inline void store_partial(void* to, V value, std::int64_t bytes) {
#if defined(__AVX512BW__)
  _mm512_mask_storeu_epi8(to, (std::uint64_t{1} << bytes) - 1, reinterpret_cast<__m512i>(value));
#else
  std::memcpy(to, &value, static_cast<std::size_t>(bytes));
#endif
}

/// Past the caches; `to` is aligned to the vector.
template <class V>
inline void stream_vector(void* to, V value) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(value));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
#elif defined(__x86_64__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(value));
#else
  store_vector(to, value);
#endif
}

inline void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// The handlers return with the upper halves of the vector registers in use, for which SSE code outside would pay.
inline void clear_vectors() {
#if defined(__AVX__)
  _mm256_zeroupper();
#endif
}

template <class T>
inline Vector<T> vector_sqrt(Vector<T> x) {
  constexpr bool wide = sizeof(T) == 8;
#if defined(__AVX512F__)
  if constexpr (wide)
    return _mm512_sqrt_pd(x);
  else
    return _mm512_sqrt_ps(x);
#elif defined(__AVX2__)
  if constexpr (wide)
    return _mm256_sqrt_pd(x);
  else
    return _mm256_sqrt_ps(x);
#elif defined(__x86_64__)
  if constexpr (wide)
    return _mm_sqrt_pd(x);
  else
    return _mm_sqrt_ps(x);
#else
  for (std::size_t i = 0; i < sizeof(x) / sizeof(T); ++i) x[i] = std::sqrt(x[i]);
  return x;
#endif
}

// ---- 16-bit floats held as floats ----

/// Each float rounded to the nearest value of a 16-bit type.
template <class H>
inline Vector<float> round_to_half(Vector<float> x) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<H, Half>)
    return _mm512_cvtph_ps(_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__F16C__)
  if constexpr (std::is_same_v<H, Half>) return _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#endif
  using U = Vector<std::uint32_t>;
  const U bits = reinterpret_cast<U>(x);
  const U magnitude = bits & 0x7fffffffu;
  if constexpr (std::is_same_v<H, BFloat16>) {
    const U rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u;
    const U nan = (bits & 0xffff0000u) | 0x00400000u;
    return reinterpret_cast<Vector<float>>(magnitude > 0x7f800000u ? nan : rounded);
  } else {
    // As to_half and back, on the bits of a float.
    const U sign = bits & 0x80000000u;
    const U normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u)) & 0xffffe000u;
    const U subnormal = reinterpret_cast<U>((reinterpret_cast<Vector<float>>(magnitude) + 0.5f) - 0.5f);
    const U nan = (magnitude & 0xffffe000u) | 0x00400000u;
    U result = magnitude < 0x38800000u ? subnormal : normal;
    result = result >= 0x47800000u ? U{} + 0x7f800000u : result;
    result = magnitude > 0x7f800000u ? nan : result;
    return reinterpret_cast<Vector<float>>(result | sign);
  }
}

}  // namespace xp::kernels
