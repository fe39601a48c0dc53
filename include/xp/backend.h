/* SPDX-License-Identifier: Apache-2.0
 *
 * The C ABI between libxparray and a backend library.
 *
 * A backend exports one symbol, xp_backend_entry, which returns a table of functions. Structs begin with their size, so
 * that fields can be appended; codes are append-only. No function throws. A function that can fail returns one of
 * xp_code and writes a sentence into xp_error. Nothing here allocates for the caller except allocate().
 */
#ifndef XP_BACKEND_H
#define XP_BACKEND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define XP_NOEXCEPT noexcept
#else
#define XP_NOEXCEPT
#endif

#define XP_ABI_MAJOR 1
#define XP_ABI_MINOR 0

enum xp_dtype {
  XP_BOOL = 0,
  XP_INT8,
  XP_INT16,
  XP_INT32,
  XP_INT64,
  XP_UINT8,
  XP_UINT16,
  XP_UINT32,
  XP_UINT64,
  XP_FLOAT16,
  XP_BFLOAT16,
  XP_FLOAT32,
  XP_FLOAT64,
  XP_COMPLEX64,
  XP_COMPLEX128,
  XP_DTYPE_COUNT
};

enum xp_code {
  XP_OK = 0,
  XP_INVALID = 1,     /* the front end asked for something this backend cannot do */
  XP_UNAVAILABLE = 2, /* no device, no driver, Kokkos finalised */
  XP_OUT_OF_MEMORY = 3,
  XP_DEVICE_FAULT = 4, /* sticky: the device is unusable from now on */
  XP_IN_PARALLEL = 5   /* first use inside an OpenMP parallel region */
};

typedef struct xp_error {
  uint32_t size;
  int32_t code;
  char message[504];
} xp_error;

/* A fused program: plain data, read only while the call lasts (a device backend copies it into its kernel).
 *
 * The iteration space has C order: dimension ndim - 1 runs fastest. Dimensions are collapsed by the front end, and none
 * has extent 0 or 1 unless it is the only one. Strides are in elements, signed; 0 broadcasts.
 *
 * An instruction computes `op` (an entry of the operation table, core/ops.hpp) in dtype `type` on the values a, b, c,
 * leaves the result in the accumulator and, when dst is a register, also there. Each value carries a NumPy dtype and is
 * held in one slot of the program's width:
 *
 * - width 32: bool as 0/1 in uint32; int8 to int32 as int32; uint8 to uint32 as uint32; 16- and 32-bit floats as float
 * - width 64: bool as 0/1 in uint64; signed as int64; unsigned as uint64; real floats as double; complex64 as two
 * floats
 * - width 128: complex128 as two doubles; bool as 0/1 in the first uint64; real floats as double in the first half
 *
 * and is always normalised to its dtype: wrapped, rounded, or 0/1. A dtype narrower than the width appears only as the
 * result of a cast, a comparison, abs, a selection or a load, never in arithmetic. A store converts a value of `type`
 * to the operand's dtype and leaves it in the accumulator.
 */
enum {
  XP_MAX_NDIM = 8,
  XP_MAX_OPERANDS = 24,
  XP_MAX_INSTRUCTIONS = 96,
  XP_MAX_CONSTANTS = 24,
  XP_MAX_REGISTERS = 32,
  /* value references */
  XP_REF_REGISTER = 0,   /* + register index */
  XP_REF_OPERAND = 64,   /* + operand index: a load, converted from the operand's dtype to its load_type */
  XP_REF_CONSTANT = 128, /* + constant index */
  XP_REF_ACC = 254,      /* result of the instruction before */
  XP_REF_NONE = 255
};

typedef struct xp_instruction {
  uint16_t op;
  uint8_t type; /* dtype of the operands a and b (of b and c for where, whose a is bool) */
  uint8_t dst;  /* register, XP_REF_NONE; for store XP_REF_OPERAND + k */
  uint8_t a, b, c;
  uint8_t to; /* dtype of the result */
} xp_instruction;

enum { XP_READ = 1, XP_WRITE = 2 };

typedef struct xp_operand {
  void* data; /* address of the element with all indices 0 */
  int64_t strides[XP_MAX_NDIM];
  uint8_t dtype;     /* in memory */
  uint8_t load_type; /* dtype of the loaded value */
  uint8_t flags;     /* XP_READ, XP_WRITE. Operands that overlap are identical views, or neither is written.
                        An instruction that reads an operand never follows a store to it or to an identical one. */
  uint8_t pad[5];
} xp_operand;

/* The value of a constant in its slot representation at the program's width. */
typedef union xp_constant {
  uint32_t u32[4];
  float f32[4];
  int64_t i64[2];
  uint64_t u64[2];
  double f64[2];
} xp_constant;

typedef struct xp_program {
  uint32_t size; /* sizeof(xp_program) */
  uint8_t width; /* 32, 64 or 128 */
  uint8_t ndim;
  uint8_t n_operands;
  uint8_t n_instructions;
  uint8_t n_constants;
  uint8_t n_registers;
  uint8_t reduce_ref;  /* value reduced over the whole iteration space, or XP_REF_NONE */
  uint8_t reduce_type; /* its dtype, which is also the accumulator's: int64, uint64, float32, float64, complex */
  uint16_t reduce_op;
  uint16_t pad[3];
  void* reduce_out; /* device address of one element of reduce_type */
  int64_t count;    /* product of shape */
  int64_t shape[XP_MAX_NDIM];
  xp_operand operands[XP_MAX_OPERANDS];
  xp_instruction instructions[XP_MAX_INSTRUCTIONS];
  xp_constant constants[XP_MAX_CONSTANTS];
  const char* label; /* for Kokkos Tools; static storage */
} xp_program;

typedef struct xp_backend_info {
  uint32_t size;
  const char* name; /* host, cuda */
  const char* isa;  /* x86-64-v3, x86-64-v4, baseline; an architecture list for a device */
  const char* kokkos_version;
  int32_t kokkos_shared;
  const char* execution_space;
  const char* math_library; /* SLEEF, libm, CUDA */
} xp_backend_info;

typedef struct xp_probe {
  uint32_t size;
  int32_t available;
  int32_t device_count;
  char reason[500]; /* why not available */
} xp_probe;

typedef struct xp_device_info {
  uint32_t size;
  int32_t threads; /* host: threads of a parallel region; device: 0 */
  int64_t memory_total;
  int64_t memory_free;
  int64_t cache_bytes; /* last level, as this process can use it */
  char name[128];
} xp_device_info;

/* Philox4x32-10: block k of stream `stream` has key = seed and counter = {k, stream}, as four words. Element i of a
 * float64 array takes half i % 2 (word 0 or 2 below word 1 or 3) of block offset + i / 2, of a float32 array word i % 4
 * of block offset + i / 4. u in [0, 1) is the upper 53 or 24 bits; the value is low + (high - low) * u, with high - low
 * formed in double and the rest in the array's dtype. */
typedef struct xp_random_args {
  uint32_t size;
  uint8_t dtype; /* float32, float64 */
  uint8_t pad[3];
  void* data; /* contiguous */
  int64_t count;
  uint64_t seed;
  uint64_t stream;
  uint64_t offset;
  double low, high;
} xp_random_args;

typedef struct xp_device xp_device; /* the backend's */

/* Between open() and the end of the process; what needs an initialised device answers XP_INVALID before initialize().
 */
typedef struct xp_backend {
  uint32_t size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t pad;
  uint64_t table_hash; /* xp::operation_table_hash() of the operation table this backend was built with */
  void (*info)(xp_backend_info*) XP_NOEXCEPT;
  void (*probe)(xp_probe*) XP_NOEXCEPT; /* cheap; initialises nothing */
  int32_t (*initialize)(xp_error*) XP_NOEXCEPT;
  int32_t (*device_info)(int32_t ordinal, xp_device_info*, xp_error*) XP_NOEXCEPT; /* before initialize too */
  int32_t (*open)(int32_t ordinal, xp_device**, xp_error*) XP_NOEXCEPT;
  /* Slabs of the front end's pool. 64-byte aligned; on a host 2 MiB-aligned and on huge pages from 2 MiB on. */
  int32_t (*allocate)(xp_device*, uint64_t bytes, void**, xp_error*) XP_NOEXCEPT;
  int32_t (*deallocate)(xp_device*, void*, xp_error*) XP_NOEXCEPT;
  void (*advise_idle)(xp_device*, void*, uint64_t bytes) XP_NOEXCEPT; /* contents no longer matter; may be no-op */
  /* In the order of the device's work. The source may be changed when copy_from_host() returns; the data is there when
   * copy_to_host() returns. */
  int32_t (*copy_from_host)(xp_device*, void* dst, const void* src, uint64_t bytes, xp_error*) XP_NOEXCEPT;
  int32_t (*copy_to_host)(xp_device*, void* dst, const void* src, uint64_t bytes, xp_error*) XP_NOEXCEPT;
  int32_t (*run)(xp_device*, const xp_program*, xp_error*) XP_NOEXCEPT; /* may return before the device has finished */
  int32_t (*random)(xp_device*, const xp_random_args*, xp_error*) XP_NOEXCEPT;
  int32_t (*synchronize)(xp_device*, xp_error*) XP_NOEXCEPT;
  /* Comma-separated file names of the OpenMP runtimes loaded in this process, and how many; for xp-info. */
  int32_t (*openmp_runtimes)(char* text, uint32_t size) XP_NOEXCEPT;
  /* Null where there is only a copy through the host. Between two devices of this backend, or within one; after the
   * earlier work of both, before the later work of both. */
  int32_t (*copy_between)(xp_device* to, void* dst, xp_device* from, const void* src, uint64_t bytes,
                          xp_error*) XP_NOEXCEPT;
} xp_backend;

/* The one exported symbol of a backend library. */
typedef const xp_backend* (*xp_backend_entry_fn)(void)XP_NOEXCEPT;
#define XP_BACKEND_ENTRY "xp_backend_entry"

#ifdef __cplusplus
}
#endif

#endif
