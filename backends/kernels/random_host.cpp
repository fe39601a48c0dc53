// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11), one block per 64-bit lane.
#include <algorithm>

#include "kernels/launch_host.hpp"
#include "kernels/program.hpp"
#include "kernels/simd_host.hpp"

namespace xp::kernels {
namespace {

using U = Vector<std::uint64_t>;
using D = Vector<double>;
constexpr int lanes = vector_bytes / 8;
constexpr int rounds = 10;

/// Products of the low halves of the lanes.
inline U multiply_low(U a, U b) {
#if defined(__AVX512F__)
  return reinterpret_cast<U>(_mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<U>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__x86_64__)
  return reinterpret_cast<U>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

/// 53 bits to a double, exactly.
inline D to_double(U x) {
#if defined(__AVX512DQ__)
  return __builtin_convertvector(x, D);
#else
  // Halves are put into the mantissas of 2^84 and 2^52.
  const D high = reinterpret_cast<D>((x >> 32) | 0x4530000000000000u),
          low = reinterpret_cast<D>((x & 0xffffffffu) | 0x4330000000000000u);
  return (high - 0x1.00000001p84) + low;
#endif
}

template <class T>
struct Uniform {
  T low, range;

  Vector<T> operator()(U words) const {
    if constexpr (sizeof(T) == 8)
      return low + range * (to_double(words >> 11) * 0x1p-53);
    else
      return low + range * (__builtin_convertvector(reinterpret_cast<Vector<std::int32_t>>(
                                                        reinterpret_cast<Vector<std::uint32_t>>(words) >> 8),
                                                    Vector<float>) *
                            0x1p-24f);
  }
};

class Philox {
 public:
  Philox(std::uint64_t seed, std::uint64_t stream)
      : stream_low_(splat<std::uint64_t>(stream & 0xffffffffu)), stream_high_(splat<std::uint64_t>(stream >> 32)) {
    std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
    for (int r = 0; r < rounds; ++r, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
      key0_[r] = splat<std::uint64_t>(key0);
      key1_[r] = splat<std::uint64_t>(key1);
    }
    for (int i = 0; i < lanes; ++i) lane_[i] = static_cast<std::uint64_t>(i);
    for (int i = 0; i < lanes; ++i) {
      first_[i] = i / 2 + (i % 2) * lanes;
      second_[i] = first_[i] + lanes / 2;
    }
  }

  /// The words of blocks [block, block + lanes), in the order of memory.
  void operator()(std::uint64_t block, U& words0, U& words1) const {
    const U multiplier0 = splat<std::uint64_t>(0xD2511F53u), multiplier1 = splat<std::uint64_t>(0xCD9E8D57u);
    // Only the low halves of the counters matter; what is above is ignored by multiply_low.
    const U counter = lane_ + block;
    U c0 = counter, c1 = counter >> 32, c2 = stream_low_, c3 = stream_high_;
    for (int r = 0; r < rounds; ++r) {
      const U product0 = multiply_low(c0, multiplier0), product1 = multiply_low(c2, multiplier1);
      c0 = (product1 >> 32) ^ c1 ^ key0_[r];
      c1 = product1;
      c2 = (product0 >> 32) ^ c3 ^ key1_[r];
      c3 = product0;
    }
    const U pair0 = (c0 & 0xffffffffu) | (c1 << 32), pair1 = (c2 & 0xffffffffu) | (c3 << 32);
    words0 = __builtin_shuffle(pair0, pair1, first_);
    words1 = __builtin_shuffle(pair0, pair1, second_);
  }

 private:
  U key0_[rounds], key1_[rounds], stream_low_, stream_high_, lane_;
  U first_, second_;
};

template <class T, bool past_caches>
void fill(const Philox& philox, const Uniform<T>& uniform, T* data, std::int64_t count, std::uint64_t block) {
  constexpr int vector_elements = vector_bytes / sizeof(T), step = 2 * vector_elements;
  U words0, words1;
  std::int64_t i = 0;
  for (; i + step <= count; i += step, block += lanes) {
    philox(block, words0, words1);
    if constexpr (past_caches) {
      stream_vector(data + i, uniform(words0));
      stream_vector(data + i + vector_elements, uniform(words1));
    } else {
      store_vector(data + i, uniform(words0));
      store_vector(data + i + vector_elements, uniform(words1));
    }
  }
  if (i < count) {
    T rest[step];
    philox(block, words0, words1);
    store_vector(rest, uniform(words0));
    store_vector(rest + vector_elements, uniform(words1));
    std::copy_n(rest, count - i, data + i);
  }
  if constexpr (past_caches) stream_fence();
}

template <class T>
void run(const xp_random_args& args) {
  constexpr std::int64_t per_block = 16 / sizeof(T);
  constexpr std::int64_t grain = 4096;
  const Philox philox(args.seed, args.stream);
  const Uniform<T> uniform{static_cast<T>(args.low), static_cast<T>(args.high - args.low)};
  T* data = static_cast<T*>(args.data);
  const bool stream = static_cast<std::uint64_t>(args.count) * sizeof(T) >= stream_threshold() &&
                      reinterpret_cast<std::uintptr_t>(data) % vector_bytes == 0;
  const int parts = parts_for(static_cast<double>(args.count) * (sizeof(T) == 8 ? 1.0 : 0.6));
  launch("xp::random", parts, [&](int part) {
    const Range range = part_of(args.count, grain, part, parts);
    if (range.begin >= range.end) return;
    (stream ? fill<T, true> : fill<T, false>)(philox, uniform, data + range.begin, range.end - range.begin,
                                              args.offset + static_cast<std::uint64_t>(range.begin / per_block));
  });
}

}  // namespace

std::int32_t run_random(xp_device&, const xp_random_args& args, xp_error* error) {
  if (args.size < sizeof(xp_random_args) || args.count < 0) return fail(error, XP_INVALID, "random: invalid arguments");
  FloatingPointScope floating_point;
  if (args.count == 0) return XP_OK;
  switch (args.dtype) {
    case XP_FLOAT32:
      run<float>(args);
      return XP_OK;
    case XP_FLOAT64:
      run<double>(args);
      return XP_OK;
    default:
      return fail(error, XP_INVALID, "random: dtype %d is neither float32 nor float64", args.dtype);
  }
}

}  // namespace xp::kernels
