// SPDX-License-Identifier: Apache-2.0
// Written with intrinsics: what a compiler makes of plain loops depends on its flags, and some it turns into calls of
// memset or memcpy. Blocks are 64-byte aligned (see xp_bench_ceilings.cpp), as non-temporal stores need it.
#include "xp_bench_loops.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define XP_BENCH_X86 1
#endif

namespace bench {

namespace {

using Count = std::size_t;

// ---- Any processor --------------------------------------------------------------------------------------------------

void fill_any(double* a, double*, double*, Count count, double factor) {
  for (Count i = 0; i < count; ++i) a[i] = factor;
}
void in_place_any(double* a, double*, double*, Count count, double factor) {
  for (Count i = 0; i < count; ++i) a[i] *= factor;
}
void copy_any(double* a, double* b, double*, Count count, double) {
  for (Count i = 0; i < count; ++i) b[i] = a[i];
}
void two_reads_any(double* a, double* b, double* c, Count count, double factor) {
  for (Count i = 0; i < count; ++i) c[i] = a[i] + b[i] * factor;
}
void two_reads_in_place_any(double* a, double* b, double*, Count count, double factor) {
  for (Count i = 0; i < count; ++i) b[i] = a[i] + b[i] * factor;
}

#ifdef XP_BENCH_X86

// ---- AVX-512 --------------------------------------------------------------------------------------------------------

[[gnu::target("avx512f")]] void fill_512(double* a, double*, double*, Count count, double factor) {
  const __m512d f = _mm512_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8) _mm512_storeu_pd(a + i, f);
  for (; i < count; ++i) a[i] = factor;
}
[[gnu::target("avx512f")]] void fill_nt_512(double* a, double*, double*, Count count, double factor) {
  const __m512d f = _mm512_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8) _mm512_stream_pd(a + i, f);
  for (; i < count; ++i) a[i] = factor;
  _mm_sfence();
}
[[gnu::target("avx512f")]] void in_place_512(double* a, double*, double*, Count count, double factor) {
  const __m512d f = _mm512_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8) _mm512_storeu_pd(a + i, _mm512_mul_pd(_mm512_loadu_pd(a + i), f));
  for (; i < count; ++i) a[i] *= factor;
}
[[gnu::target("avx512f")]] void copy_512(double* a, double* b, double*, Count count, double) {
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8) _mm512_storeu_pd(b + i, _mm512_loadu_pd(a + i));
  for (; i < count; ++i) b[i] = a[i];
}
[[gnu::target("avx512f")]] void copy_nt_512(double* a, double* b, double*, Count count, double) {
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8) _mm512_stream_pd(b + i, _mm512_loadu_pd(a + i));
  for (; i < count; ++i) b[i] = a[i];
  _mm_sfence();
}
[[gnu::target("avx512f")]] void two_reads_512(double* a, double* b, double* c, Count count, double factor) {
  const __m512d f = _mm512_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8)
    _mm512_storeu_pd(c + i, _mm512_fmadd_pd(_mm512_loadu_pd(b + i), f, _mm512_loadu_pd(a + i)));
  for (; i < count; ++i) c[i] = a[i] + b[i] * factor;
}
[[gnu::target("avx512f")]] void two_reads_nt_512(double* a, double* b, double* c, Count count, double factor) {
  const __m512d f = _mm512_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8)
    _mm512_stream_pd(c + i, _mm512_fmadd_pd(_mm512_loadu_pd(b + i), f, _mm512_loadu_pd(a + i)));
  for (; i < count; ++i) c[i] = a[i] + b[i] * factor;
  _mm_sfence();
}
[[gnu::target("avx512f")]] void two_reads_in_place_512(double* a, double* b, double*, Count count, double factor) {
  const __m512d f = _mm512_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= count; i += 8)
    _mm512_storeu_pd(b + i, _mm512_fmadd_pd(_mm512_loadu_pd(b + i), f, _mm512_loadu_pd(a + i)));
  for (; i < count; ++i) b[i] = a[i] + b[i] * factor;
}

// ---- AVX2 -----------------------------------------------------------------------------------------------------------

[[gnu::target("avx2")]] void fill_256(double* a, double*, double*, Count count, double factor) {
  const __m256d f = _mm256_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4) _mm256_storeu_pd(a + i, f);
  for (; i < count; ++i) a[i] = factor;
}
[[gnu::target("avx2")]] void fill_nt_256(double* a, double*, double*, Count count, double factor) {
  const __m256d f = _mm256_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4) _mm256_stream_pd(a + i, f);
  for (; i < count; ++i) a[i] = factor;
  _mm_sfence();
}
[[gnu::target("avx2")]] void in_place_256(double* a, double*, double*, Count count, double factor) {
  const __m256d f = _mm256_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4) _mm256_storeu_pd(a + i, _mm256_mul_pd(_mm256_loadu_pd(a + i), f));
  for (; i < count; ++i) a[i] *= factor;
}
[[gnu::target("avx2")]] void copy_256(double* a, double* b, double*, Count count, double) {
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4) _mm256_storeu_pd(b + i, _mm256_loadu_pd(a + i));
  for (; i < count; ++i) b[i] = a[i];
}
[[gnu::target("avx2")]] void copy_nt_256(double* a, double* b, double*, Count count, double) {
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4) _mm256_stream_pd(b + i, _mm256_loadu_pd(a + i));
  for (; i < count; ++i) b[i] = a[i];
  _mm_sfence();
}
[[gnu::target("avx2")]] void two_reads_256(double* a, double* b, double* c, Count count, double factor) {
  const __m256d f = _mm256_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4)
    _mm256_storeu_pd(c + i, _mm256_add_pd(_mm256_mul_pd(_mm256_loadu_pd(b + i), f), _mm256_loadu_pd(a + i)));
  for (; i < count; ++i) c[i] = a[i] + b[i] * factor;
}
[[gnu::target("avx2")]] void two_reads_nt_256(double* a, double* b, double* c, Count count, double factor) {
  const __m256d f = _mm256_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4)
    _mm256_stream_pd(c + i, _mm256_add_pd(_mm256_mul_pd(_mm256_loadu_pd(b + i), f), _mm256_loadu_pd(a + i)));
  for (; i < count; ++i) c[i] = a[i] + b[i] * factor;
  _mm_sfence();
}
[[gnu::target("avx2")]] void two_reads_in_place_256(double* a, double* b, double*, Count count, double factor) {
  const __m256d f = _mm256_set1_pd(factor);
  Count i = 0;
#pragma GCC unroll 4
  for (; i + 4 <= count; i += 4)
    _mm256_storeu_pd(b + i, _mm256_add_pd(_mm256_mul_pd(_mm256_loadu_pd(b + i), f), _mm256_loadu_pd(a + i)));
  for (; i < count; ++i) b[i] = a[i] + b[i] * factor;
}

#endif

LoopSet choose() {
#ifdef XP_BENCH_X86
  if (__builtin_cpu_supports("avx512f"))
    return {"AVX-512",
            {{"ordinary stores", fill_512}, {"non-temporal stores", fill_nt_512}},
            {{"ordinary stores", in_place_512}},
            {{"ordinary stores", copy_512}, {"non-temporal stores", copy_nt_512}},
            {{"ordinary stores", two_reads_512},
             {"non-temporal stores", two_reads_nt_512},
             {"in place", two_reads_in_place_512}}};
  if (__builtin_cpu_supports("avx2"))
    return {"AVX2",
            {{"ordinary stores", fill_256}, {"non-temporal stores", fill_nt_256}},
            {{"ordinary stores", in_place_256}},
            {{"ordinary stores", copy_256}, {"non-temporal stores", copy_nt_256}},
            {{"ordinary stores", two_reads_256},
             {"non-temporal stores", two_reads_nt_256},
             {"in place", two_reads_in_place_256}}};
#endif
  return {"compiler's",
          {{"ordinary stores", fill_any}},
          {{"ordinary stores", in_place_any}},
          {{"ordinary stores", copy_any}},
          {{"ordinary stores", two_reads_any}, {"in place", two_reads_in_place_any}}};
}

}  // namespace

const LoopSet& loops() {
  static const LoopSet set = choose();
  return set;
}

}  // namespace bench
