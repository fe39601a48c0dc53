// SPDX-License-Identifier: Apache-2.0
// Finding, describing and opening CUDA devices.
#include "platform/devices_cuda.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "platform/device_cuda.hpp"
#include "platform/lifetime.hpp"
#include "platform/platform.hpp"

namespace xp::platform {
namespace {

using kernels::fail;

std::atomic<bool> forked{false};

/// Before the first call to CUDA.
void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  (void)registered;
}

// ---- Architectures
// ---------------------------------------------------------------------------------------------------

/// What the kernels are compiled for, as 10 * major + minor.
#if defined(__CUDA_ARCH_LIST__)
constexpr int compiled[] = {__CUDA_ARCH_LIST__};  // such as 800,900
constexpr bool compiled_is_known = true;
#else
constexpr int compiled[] = {0};
constexpr bool compiled_is_known = false;
#endif

const std::string& compiled_names() {
  static const std::string& names = *[] {
    auto* text = new std::string;
    for (const int architecture : compiled) {
      if (!text->empty()) *text += ',';
      *text += "sm_" + std::to_string(architecture / 10);
    }
    if (!compiled_is_known) *text = XP_BACKEND_ISA;
    return text;
  }();
  return names;
}

/// Code for an older device runs on a newer one, if need be compiled by the driver; never the other way.
std::int32_t check_architecture(int ordinal, char* text, std::size_t size) {
  int major = 0, minor = 0;
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal), "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal), "cudaDeviceGetAttribute");
  for (const int architecture : compiled)
    if (architecture / 10 <= 10 * major + minor) return XP_OK;
  std::snprintf(text, size, "CUDA device %d has compute capability %d.%d; this backend is compiled for %s", ordinal,
                major, minor, compiled_names().c_str());
  return XP_UNAVAILABLE;
}

__global__ void nothing() {}

/// Whether the device can load the kernels. Makes a context.
std::int32_t check_kernels(int ordinal, xp_error* error) {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(nothing));
  if (code == cudaSuccess) return XP_OK;
  (void)cudaGetLastError();
  return fail(error, XP_UNAVAILABLE, "CUDA device %d cannot run the kernels, which are compiled for %s: %s", ordinal,
              compiled_names().c_str(), cudaGetErrorString(code));
}

// ---- The devices that are open
// ---------------------------------------------------------------------------------------

struct Devices {
  std::mutex opening;
  std::vector<xp_device*> by_ordinal;
  bool kokkos_started = false;
  xp_error failure{sizeof(xp_error), XP_OK, {}};  // of Kokkos, which cannot be started twice
};

Devices& devices() {
  static Devices& instance = *new Devices;
  return instance;
}

bool may_finalise() {
  if (forked) return false;
  for (const xp_device* device : devices().by_ordinal) {
    if (!device) continue;
    if (device->platform->is_lost()) return false;
    const ContextScope scope(device->platform->context());
    if (cudaStreamSynchronize(device->platform->stream()) != cudaSuccess) return false;
  }
  return true;
}

/// Kokkos' instances end before Kokkos does. The devices themselves stay, for arrays that live longer.
void release() {
  if (!may_finalise()) return;
  const ContextScope scope;
  for (xp_device* device : devices().by_ordinal)
    if (device) std::destroy_at(&device->space);
}

/// Kokkos' own instance would be destroyed after main(), with calls to CUDA, whose errors end the process (5.x), or
/// with a complaint on stderr that it was not finalised (4.x).
template <class Internal>
void abandon_instance() {
  if constexpr (requires { Internal::singleton().m_scratchSpace; }) {
    Internal& instance = Internal::singleton();
    instance.m_scratchSpace = instance.m_scratchFlags = instance.m_scratchUnified = nullptr;
  } else {
    new kernels::Space;  // holds it for ever
  }
}

/// On the first device to be opened: under MPI a process has nothing to do with device 0.
std::int32_t start(int ordinal, xp_error* error) {
  Devices& d = devices();
  if (d.kokkos_started) return XP_OK;
  if (d.failure.code != XP_OK) return fail(error, d.failure.code, "%s", d.failure.message);
  auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
  if (!std::getenv("KOKKOS_VISIBLE_DEVICES")) settings.set_device_id(ordinal);  // which renumbers
  const std::int32_t code =
      start_kokkos(settings, {may_finalise, release, abandon_instance<Kokkos::Impl::CudaInternal>}, &d.failure);
  if (code != XP_OK) return fail(error, code, "%s", d.failure.message);
  d.kokkos_started = true;
  return XP_OK;
}

/// How many devices there are, or a sentence.
int count_devices(char* reason, std::size_t size) {
  watch_forks();
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  int driver = 0;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  auto version = [](int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); };
  if (code == cudaSuccess && count > 0) return count;
  if (code == cudaErrorInsufficientDriver && (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0))
    std::snprintf(reason, size, "no NVIDIA driver (%s)", driver_failure().c_str());
  else if (code == cudaErrorInsufficientDriver)
    std::snprintf(reason, size, "the NVIDIA driver is too old: it supports CUDA %s, this backend needs %s",
                  version(driver).c_str(), version(CUDART_VERSION).c_str());
  else if ((code == cudaErrorNoDevice || code == cudaSuccess) && visible)
    std::snprintf(reason, size, "no CUDA device is visible (CUDA_VISIBLE_DEVICES is '%s')", visible);
  else if (code == cudaErrorNoDevice || code == cudaSuccess)
    std::snprintf(reason, size, "no CUDA device is visible");
  else
    std::snprintf(reason, size, "CUDA cannot be used: %s (%s)", cudaGetErrorString(code), cudaGetErrorName(code));
  return 0;
}

std::int32_t check_ordinal(int ordinal, xp_error* error) {
  char reason[sizeof xp_error::message] = "";
  const int count = count_devices(reason, sizeof reason);
  if (count == 0) return fail(error, XP_UNAVAILABLE, "%s", reason);
  if (ordinal < 0 || ordinal >= count)
    return fail(error, XP_INVALID, "%s: there is no device %d, only %d", XP_BACKEND_NAME, ordinal, count);
  return XP_OK;
}

xp_device* opened(int ordinal) {
  const auto& all = devices().by_ordinal;
  return static_cast<std::size_t>(ordinal) < all.size() ? all[static_cast<std::size_t>(ordinal)] : nullptr;
}

xp_device* open_device(int ordinal) {
  cudaStream_t stream = nullptr;
  require(cudaSetDevice(ordinal), "cudaSetDevice");
  // Non-blocking: no order with what others put on the legacy default stream.
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  int multiprocessors = 0;
  require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal), "cudaDeviceGetAttribute");
  auto platform = std::make_unique<kernels::Platform>(ordinal, current_context(), stream);
  auto device =
      std::make_unique<xp_device>(xp_device{ordinal, kernels::Space(stream), multiprocessors, platform.get()});
  platform.release();
  return device.release();
}

}  // namespace

bool is_forked() noexcept { return forked.load(std::memory_order_relaxed); }

void describe(xp_backend_info& info) noexcept {
  info.isa = compiled_names().c_str();
  info.math_library = "CUDA";
}

void probe(xp_probe& probe) noexcept {
  const int count = count_devices(probe.reason, sizeof probe.reason);
  try {
    for (int i = 0; i < count; ++i)
      if (check_architecture(i, probe.reason, sizeof probe.reason) == XP_OK) probe.available = 1;
  } catch (const std::exception& exception) {
    std::snprintf(probe.reason, sizeof probe.reason, "%s", exception.what());
  }
  if (!probe.available) return;
  probe.device_count = count;
  probe.reason[0] = '\0';
}

std::int32_t initialize(xp_error* error) {
  if (const std::int32_t code = check_ordinal(0, error)) return code;
  State expected = State::fresh;
  state.compare_exchange_strong(expected, State::ready);
  return XP_OK;
}

std::int32_t device_info(std::int32_t ordinal, xp_device_info& info, xp_error* error) {
  if (const std::int32_t code = check_ordinal(ordinal, error)) return code;
  {
    const std::lock_guard lock(devices().opening);
    if (const xp_device* device = opened(ordinal))
      if (const std::int32_t code = device->platform->refuse(error)) return code;
  }
  const ContextScope scope;
  cudaDeviceProp properties{};
  int cache = 0;
  std::size_t available = 0, total = 0;
  require(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  require(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, ordinal), "cudaDeviceGetAttribute");
  require(cudaSetDevice(ordinal), "cudaSetDevice");  // makes a context if there is none; only so is the next known
  require(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  info.threads = 0;
  info.memory_total = static_cast<std::int64_t>(total);
  info.memory_free = static_cast<std::int64_t>(available);
  info.cache_bytes = cache;
  std::snprintf(info.name, sizeof info.name, "%s", properties.name);
  return XP_OK;
}

std::int32_t open(std::int32_t ordinal, xp_device** device, xp_error* error) {
  Devices& d = devices();
  const std::lock_guard lock(d.opening);
  if (xp_device* known = opened(ordinal)) {
    *device = known;
    return known->platform->refuse(error);
  }
  if (const std::int32_t code = check_ordinal(ordinal, error)) return code;
  char text[256] = "";
  const ContextScope scope;
  try {
    if (const std::int32_t code = check_architecture(ordinal, text, sizeof text)) return fail(error, code, "%s", text);
    require(cudaSetDevice(ordinal), "cudaSetDevice");
    if (const std::int32_t code = check_kernels(ordinal, error)) return code;
    if (const std::int32_t code = start(ordinal, error)) return code;
    d.by_ordinal.resize(std::max(d.by_ordinal.size(), static_cast<std::size_t>(ordinal) + 1));
    *device = d.by_ordinal[static_cast<std::size_t>(ordinal)] = open_device(ordinal);
    return XP_OK;
  } catch (const CudaError& exception) {  // busy, exclusively used by another process, no memory for a context
    return fail(error, XP_UNAVAILABLE, "CUDA device %d: %s", ordinal, exception.what());
  }
}

}  // namespace xp::platform
