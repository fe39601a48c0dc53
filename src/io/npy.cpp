// SPDX-License-Identifier: Apache-2.0
// Reading and writing .npy files in blocks, so that no second copy of an array is made.
#include "io/npy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xp/creation.hpp>
#include <xp/error.hpp>
#include <xp/io.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "io/tuple.hpp"

namespace xp {
namespace {

constexpr Index block_bytes = Index{16} << 20;
constexpr bool host_is_little = std::endian::native == std::endian::little;

std::string reason(int error) { return std::generic_category().message(error); }

// A file descriptor whose errors name the call, the file and the reason.
class File {
 public:
  File(std::string context, int descriptor) : context_(std::move(context)), descriptor_(descriptor) {}
  File(File&& other) noexcept
      : context_(std::move(other.context_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }

  // Fewer bytes than asked for only at the end of the file.
  std::size_t read(std::span<std::byte> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::read(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot read: " + reason(errno));
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot write: " + reason(errno));
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  // Some file systems report a full disk only here.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot write: " + reason(errno));
  }

  [[noreturn]] void fail(const std::string& what) const { throw IoError(context_ + ": " + what); }

 private:
  std::string context_;
  int descriptor_;
};

// A file beside the one to be written; removed unless it takes that one's place.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& context, std::filesystem::path target) : target_(std::move(target)) {
    const std::string name = target_.filename().native();
    if (name.empty() || target_.native().find('\0') != std::string::npos) throw IoError(context + ": not a file name");
    if (name.size() > 255) throw IoError(context + ": " + reason(ENAMETOOLONG));
    // A link is followed to where the file is, or is to be.
    for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(target_)); ++links) {
      if (links == 40) throw IoError(context + ": " + reason(ELOOP));
      const std::filesystem::path to = std::filesystem::read_symlink(target_);
      target_ = to.is_absolute() ? to : target_.parent_path() / to;
    }
    struct stat status {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (exists) {
      if (!S_ISREG(status.st_mode)) throw IoError(context + ": not a regular file");
      // Renaming would replace it all the same.
      if (::access(target_.c_str(), W_OK) != 0) throw IoError(context + ": cannot write: " + reason(errno));
      std::error_code error;
      if (auto real = std::filesystem::canonical(target_, error); !error) target_ = std::move(real);
    }
    // Nobody may read it in between who could not read the old one.
    file_ = std::make_unique<File>(context, open(context, exists ? 0600 : 0666));
    if (exists) static_cast<void>(::fchmod(file_->descriptor(), status.st_mode & 07777));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!committed_) ::unlink(name_.c_str());
  }

  File& file() { return *file_; }

  void commit() {
    file_->close();
    if (::rename(name_.c_str(), target_.c_str()) != 0) file_->fail("cannot rename the finished file: " + reason(errno));
    committed_ = true;
  }

 private:
  int open(const std::string& context, mode_t mode) {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
      char text[32];
      std::snprintf(text, sizeof text, ".xp-%08x%08x.tmp", random(), random());
      name_ = target_.parent_path() / text;
      const int descriptor = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (descriptor >= 0) return descriptor;
      if (errno != EEXIST && errno != EINTR) break;
    }
    const int error = errno;
    throw IoError(context + ": cannot create a file in " + target_.parent_path().string() + ": " + reason(error));
  }

  std::filesystem::path target_, name_;
  std::unique_ptr<File> file_;
  bool committed_ = false;
};

class Staging {
 public:
  explicit Staging(Index bytes)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))) {}
  std::span<std::byte> of(const Array& block) const { return {bytes_.get(), static_cast<std::size_t>(block.nbytes())}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

// Runs a parser whose errors do not know the file.
template <class Parse>
auto with_context(const File& file, Parse&& parse) {
  try {
    return parse();
  } catch (const IoError& error) {
    file.fail(error.what());
  }
}

detail::NpyHeader read_header(File& file, Index file_size) {
  std::vector<std::byte> bytes(detail::npy_preamble_size);
  bytes.resize(file.read(bytes));
  const detail::NpyPreamble preamble = with_context(file, [&] { return detail::parse_npy_preamble(bytes); });
  const auto size = static_cast<std::size_t>(file_size);
  if (size < preamble.data_offset())
    file.fail("truncated: a header of " + std::to_string(preamble.length) + " bytes is announced, the file has " +
              std::to_string(size - std::min(size, preamble.offset)) + " after its length");
  std::vector<std::byte> dict(preamble.length);
  if (::lseek(file.descriptor(), static_cast<off_t>(preamble.offset), SEEK_SET) < 0)
    file.fail("cannot read: " + reason(errno));
  if (file.read(dict) != dict.size()) file.fail("truncated while it was read");
  detail::NpyHeader header = with_context(file, [&] { return detail::parse_npy_header(dict); });
  // Before anything is allocated for the data. More data than needed is no error: NumPy appends arrays to one file.
  const Index there = file_size - static_cast<Index>(preamble.data_offset());
  if (there < header.bytes)
    file.fail("truncated: an array of shape " + detail::python_tuple(header.shape) + " and dtype " +
              std::string(name(header.dtype)) + " has " + std::to_string(header.bytes) + " bytes, the file " +
              std::to_string(there) + " after the header");
  return header;
}

}  // namespace

Array load(const std::filesystem::path& path, Device device) {
  const std::string context = "load: '" + path.string() + "'";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw IoError(context + ": cannot open: " + reason(errno));
  File file(context, descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) file.fail("cannot read: " + reason(errno));
  if (!S_ISREG(status.st_mode)) file.fail(S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
  const detail::NpyHeader header = read_header(file, static_cast<Index>(status.st_size));

  eval();  // devices work while this thread reads
  Shape shape = header.shape;
  if (header.fortran_order) std::reverse(shape.begin(), shape.end());
  Array array = empty(shape, header.dtype, device);
  const Staging staging(std::min(array.nbytes(), std::max(block_bytes, array.itemsize())));
  detail::for_each_block(array, block_bytes, [&](const Array& block) {
    const std::span<std::byte> bytes = staging.of(block);
    if (file.read(bytes) != bytes.size()) file.fail("truncated while it was read");
    if (header.swapped) detail::swap_byte_order(bytes, header.dtype);
    // The library relies on bools of 0 and 1; a file may hold anything.
    if (header.dtype == DType::bool_)
      for (std::byte& value : bytes) value = value == std::byte{0} ? std::byte{0} : std::byte{1};
    block.copy_from_host(bytes.data());
  });
  return header.fortran_order ? array.transpose() : array;
}

void save(const std::filesystem::path& path, const Array& array) {
  const std::string context = "save: '" + path.string() + "'";
  if (!array.has_value()) throw Error(context + ": the array handle holds nothing");
  const bool fortran_order = array.is_f_contiguous() && !array.is_c_contiguous();
  const std::string header = detail::npy_header(array.dtype(), array.shape(), fortran_order);

  eval();  // devices work while this thread writes
  TemporaryFile temporary(context, path);
  temporary.file().write(std::as_bytes(std::span(header)));
  const Staging staging(std::min(array.nbytes(), std::max(block_bytes, array.itemsize())));
  detail::for_each_block(fortran_order ? array.transpose() : array, block_bytes, [&](const Array& block) {
    const std::span<std::byte> bytes = staging.of(block);
    block.copy_to_host(bytes.data());
    if (!host_is_little) detail::swap_byte_order(bytes, array.dtype());
    temporary.file().write(bytes);
  });
  temporary.commit();
}

}  // namespace xp
