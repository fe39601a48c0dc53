// SPDX-License-Identifier: Apache-2.0
// Devices are chosen by name at run time; their backends are libraries that are opened on first use.
#pragma once

#include <xp/dtype.hpp>

#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace [[gnu::visibility("default")]] xp {

namespace detail {
struct DeviceName;
}

/// A device by name: "host", "cuda", "cuda:1", "auto" (the fastest that is available). Naming one opens nothing; the
/// first array on it does. `Device{}` is the default device.
class Device {
 public:
  Device() = default;
  /// DeviceError when the text is no device name ("cuda:x").
  Device(std::string_view name);
  /// A template, so that the number 0 is no null pointer and hence no device: `arange(-5, 0)` is a call with two
  /// numbers.
  template <class T>
  requires(std::is_same_v<std::decay_t<T>, const char*> || std::is_same_v<std::decay_t<T>, char*>) Device(T&& name)
      : Device(std::string_view(name)) {}
  Device(const std::string& name) : Device(std::string_view(name)) {}
  explicit Device(const detail::DeviceName* name) : name_(name) {}

  /// "host", "cuda:0"; "" for the default device.
  std::string name() const;
  const detail::DeviceName* handle() const { return name_; }
  /// Whether the two name one device. Names that lead to one ("cuda", "cuda:0") are known to once both were used.
  friend bool operator==(Device a, Device b) { return a.name_ == b.name_ || same_device(a, b); }

 private:
  static bool same_device(Device a, Device b);
  const detail::DeviceName* name_ = nullptr;  // interned: one address per name for the life of the process
};

std::ostream& operator<<(std::ostream& stream, Device device);

/// The device of arrays that are created without one: what set_default_device was given, else the environment variable
/// XP_DEVICE, else "auto". "auto" is resolved here; the choice is told once on stderr (not when XP_QUIET=1).
Device default_device();

/// Sets the default device of the whole process. Opens it: DeviceError with the reason when it is not available.
void set_default_device(Device device);

/// Every device that can be used here and now, fastest first.
std::vector<Device> devices();

/// Opens the device, so that a later first use inside a parallel region is no first use. DeviceError with the reason.
void initialize(Device device = {});

/// Launches what this thread has recorded, on every device, without waiting for it.
void eval();

/// Launches what this thread has recorded and waits for the device (all devices without an argument). Throws what the
/// device reports.
void synchronize();
void synchronize(Device device);

/// Whether elementwise operations are joined into programs (environment: XP_FUSE=0 turns it off; DeviceError when it
/// is neither 0 nor 1). The results have the same bits either way.
bool fusion_enabled();
/// Turns joining on or off for the whole process; launches what this thread has recorded first.
void set_fusion(bool enabled);

/// Inside a scope, operations on exposed arrays (see `expose`) join programs like any others; they are launched when
/// the scope of this thread ends. Outside, an operation that touches an exposed array is launched at once.
class FusionScope {
 public:
  FusionScope();
  ~FusionScope();
  FusionScope(const FusionScope&) = delete;
  FusionScope& operator=(const FusionScope&) = delete;
};

/// Memory of a device as its pool sees it, in bytes.
struct MemoryInfo {
  Index used = 0;    ///< in live arrays
  Index cached = 0;  ///< held by the pool for reuse
  Index limit = 0;   ///< most that the pool takes (XP_MEMORY_LIMIT, else 90 % of what was there when it was opened)
  Index free = 0;    ///< free on the device, outside the pool
  Index total = 0;   ///< of the device
};
MemoryInfo memory_info(Device device = {});

/// Gives cached memory that no array uses back to the system.
void empty_cache(Device device = {});

/// One backend library, as `xp-info` shows it.
struct BackendDescription {
  std::string name;  ///< "host", "cuda"
  std::string path;  ///< of the library; empty when none was found
  bool available = false;
  std::string reason;  ///< why it is not available
  std::string isa;
  std::string kokkos_version;
  bool kokkos_shared = false;
  std::string execution_space;
  std::string math_library;
  std::string abi;  ///< "1.0"
  std::string openmp_runtimes;
  struct DeviceDescription {
    std::string name;  ///< "host", "cuda:0"
    std::string model;
    int threads = 0;
    Index memory_total = 0, memory_free = 0, cache_bytes = 0;
  };
  std::vector<DeviceDescription> devices;
};

/// Every backend that is found beside the library or in XP_BACKEND_PATH, plus "host" and "cuda" when they are not.
std::vector<BackendDescription> backends();

}  // namespace gnu::visibility("default")]]xp
