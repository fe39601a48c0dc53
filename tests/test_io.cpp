// SPDX-License-Identifier: Apache-2.0
// .npy files: NumPy's (golden/io), our own, broken ones, and failing disks.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xp/xp.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "io/npy.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

namespace fs = std::filesystem;
using xp::DType;
using xp::Index;
using xp::Shape;
using xp_test::message_of;
using Bytes = std::vector<std::byte>;

class Files : public xp_test::OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    std::string pattern = (fs::temp_directory_path() / "xp-test-io-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override {
    OnDevice::TearDown();
    fs::remove_all(folder);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  ASSERT_TRUE(file.flush()) << path;
}

Bytes host_bytes(const xp::Array& array) {
  Bytes bytes(static_cast<std::size_t>(array.nbytes()));
  array.copy_to_host(bytes.data());
  return bytes;
}

template <class T>
void append(Bytes& bytes, T value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

// Element k in C order, as golden/generate.py has it.
void append_value(Bytes& bytes, DType dtype, Index k) {
  const double real = static_cast<double>(k - 5) * 0.75, imag = 0.5 * static_cast<double>(k);
  switch (dtype) {
    case DType::bool_:
      return append(bytes, k % 3 == 0);
    case DType::float16:
      return append(bytes, xp::Half(static_cast<float>(real)).bits);
    case DType::bfloat16:
      return append(bytes, xp::BFloat16(static_cast<float>(real)).bits);
    case DType::float32:
      return append(bytes, static_cast<float>(real));
    case DType::float64:
      return append(bytes, real);
    case DType::complex64:
      append(bytes, static_cast<float>(real));
      return append(bytes, static_cast<float>(imag));
    case DType::complex128:
      append(bytes, real);
      return append(bytes, imag);
    default: {
      const auto n = static_cast<std::uint64_t>(k);
      const std::uint64_t value = (n - 5) * 0x0102030405060708u + 7 * n;
      const auto* begin = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), begin, begin + xp::itemsize(dtype));
    }
  }
}

Bytes values(DType dtype, Index count) {
  Bytes bytes;
  for (Index k = 0; k < count; ++k) append_value(bytes, dtype, k);
  return bytes;
}

xp::Array make(DType dtype, const Shape& shape, xp::Device device) {
  const xp::Array array = xp::empty(shape, dtype, device);
  array.copy_from_host(values(dtype, array.size()).data());
  return array;
}

// "float32-f-be-3x4-v1" of golden/io/float32-f-be-3x4-v1.npy
struct GoldenName {
  DType dtype;
  bool fortran, big_endian;
  Shape shape;
  int version;

  explicit GoldenName(const std::string& stem) {
    std::istringstream parts(stem);
    std::string part[5];
    for (std::string& text : part) std::getline(parts, text, '-');
    dtype = xp::dtype_from_name(part[0]);
    fortran = part[1] == "f";
    big_endian = part[2] == "be";
    std::istringstream extents(part[3] == "scalar" ? "" : part[3]);
    for (std::string extent; std::getline(extents, extent, 'x');) shape.push_back(std::stoll(extent));
    version = std::stoi(part[4].substr(1));
  }
};

TEST_P(Files, LoadsAndSavesWhatNumPyWrites) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(XP_GOLDEN_DIR "/io")) {
    SCOPED_TRACE(entry.path().filename());
    const GoldenName golden(entry.path().stem().string());
    const xp::Array array = xp::load(entry.path(), device);
    EXPECT_EQ(array.dtype(), golden.dtype);
    EXPECT_EQ(array.shape(), golden.shape);
    EXPECT_TRUE(golden.fortran ? array.is_f_contiguous() : array.is_c_contiguous());
    EXPECT_EQ(host_bytes(array), values(golden.dtype, array.size()));
    if (!golden.big_endian && golden.version == 1) {
      xp::save(folder / "again.npy", array);
      EXPECT_EQ(read_file(folder / "again.npy"), read_file(entry.path()));
    }
    ++count;
  }
  EXPECT_GE(count, 70);
}

TEST_P(Files, RoundTripsViews) {
  for (std::size_t i = 0; i < xp::dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    const xp::Array x = make(dtype, {4, 5, 6}, device);
    for (const xp::Array& view : {x, x.T(), x(xp::slice(1, 4, 2), xp::ellipsis, xp::slice(xp::none, xp::none, -2)),
                                  x(2, 3, 4), x(xp::slice(0, 0)), x.transpose({1, 0, 2}),
                                  x(xp::all, 0).broadcast_to({3, 4, 6}), x(xp::newaxis, 1, xp::all, 2)}) {
      xp::save(folder / "x.npy", view);
      const xp::Array back = xp::load(folder / "x.npy", device);
      EXPECT_EQ(back.dtype(), dtype);
      EXPECT_EQ(back.shape(), view.shape());
      EXPECT_EQ(host_bytes(back), host_bytes(view)) << xp::name(dtype);
    }
  }
  EXPECT_EQ(files(), 1u);
}

TEST_P(Files, LargeArraysGoInBlocks) {
  // More than one block of 16 MiB, also within one row, in an order of its own.
  const Index rows = 2, columns = interpreted() ? 3000 : 2'200'000;
  const xp::Array x = make(xp::int64, {rows, columns}, device);
  xp::save(folder / "c.npy", x);
  xp::save(folder / "s.npy", x(xp::slice(xp::none, xp::none, -1)));
  xp::save(folder / "f.npy", x.T());
  const Bytes all = host_bytes(x);
  EXPECT_EQ(host_bytes(xp::load(folder / "c.npy", device)), all);
  EXPECT_EQ(host_bytes(xp::load(folder / "f.npy", device).T()), all);
  EXPECT_EQ(host_bytes(xp::load(folder / "s.npy", device)(xp::slice(xp::none, xp::none, -1))), all);
  EXPECT_EQ(fs::file_size(folder / "c.npy"), 128 + all.size());
}

TEST_P(Files, BlocksAreTheArrayInCOrder) {
  const xp::Array x = make(xp::int32, {3, 4, 5}, device).transpose({2, 0, 1});
  for (const Index limit : {1, 4, 12, 16, 47, 48, 100, 239, 240, 1000}) {
    Bytes joined;
    xp::detail::for_each_block(x, limit, [&](const xp::Array& block) {
      EXPECT_LE(block.nbytes(), std::max<Index>(limit, 4));
      const Bytes part = host_bytes(block);
      joined.insert(joined.end(), part.begin(), part.end());
    });
    EXPECT_EQ(joined, host_bytes(x)) << limit;
  }
}

TEST_P(Files, BoolsBecomeZeroAndOne) {
  write_file(folder / "b.npy", xp::detail::npy_header(xp::bool_, {4}, false) + std::string("\x00\x01\x02\xff", 4));
  EXPECT_EQ(xp::load(folder / "b.npy", device).to_vector<bool>(), (std::vector<bool>{false, true, true, true}));
}

// ---- Broken files

// A version 1.0 file with this dict, unpadded.
std::string file_with(const std::string& dict, const std::string& data = std::string(96, '\0')) {
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(dict.size() & 0xff);
  file += static_cast<char>(dict.size() >> 8);
  return file + dict + data;
}

TEST_P(Files, MalformedFilesSayWhatIsWrong) {
  const std::string start = "{'descr': '<f8', 'fortran_order': False, 'shape': ";
  const std::pair<std::string, std::string> cases[] = {
      {"", "the file is empty"},
      {"\x93NU", "ends within the magic"},
      {"hello, world", "not a .npy file"},
      {"PK\x03\x04 and so on", ".npz"},
      {"\x93NUMPY", "ends within the format version"},
      {std::string("\x93NUMPY\x04\x00", 8), "version 4.0"},
      {std::string("\x93NUMPY\x01\x01xx", 10), "version 1.1"},
      {std::string("\x93NUMPY\x01\x00v", 9), "ends within the header's length"},
      {std::string("\x93NUMPY\x02\x00\x10\x00\x00", 11), "ends within the header's length"},
      {std::string("\x93NUMPY\x01\x00v\x00{", 11), "truncated: a header of 118 bytes is announced, the file has 1"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), "longer than any"},
      {file_with(""), "'{' expected"},
      {file_with("{}"), "no key 'descr'"},
      {file_with("{'descr': '<f8', 'shape': (3,)}"), "no key 'fortran_order'"},
      {file_with("{'descr': '<f8', 'fortran_order': False}"), "no key 'shape'"},
      {file_with(start + "(3,), 'more': 1}"), "unknown key 'more'"},
      {file_with(start + "(3,), 'descr': '<f8'}"), "twice"},
      {file_with(start + "(3,)"), "'}' expected"},
      {file_with(start + "(3,)} x"), "text after the dict"},
      {file_with(start + "(3)}"), "'shape' is not a tuple"},
      {file_with(start + "3}"), "'shape' is not a tuple"},
      {file_with(start + "[3]}"), "'shape' is not a tuple"},
      {file_with(start + "(3, x)}"), "not a tuple of integers"},
      {file_with(start + "(3.0,)}"), "')' expected"},
      {file_with(start + "(True,)}"), "not a tuple of integers"},
      {file_with(start + "(3 3)}"), "')' expected"},
      {file_with(start + "(,)}"), "not a tuple of integers"},
      {file_with(start + "(-3,)}"), "negative extent"},
      {file_with(start + "(99999999999999999999,)}"), "does not fit in 64 bits"},
      {file_with(start + "(4294967296, 4294967296)}"), "too large"},
      {file_with(start + "(0, 4294967296, 4294967296)}"), "too large"},
      {file_with(start + "(1152921504606846975,)}"), "truncated: an array of shape (1152921504606846975,)"},
      {file_with(start + "(13,)}"), "has 104 bytes, the file 96 after the header"},
      {file_with("{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}"), "neither True nor False"},
      {file_with("{'descr': '<f8', 'fortran_order': 'True', 'shape': (3,)}"), "neither True nor False"},
      {file_with("{'descr': '<f8, 'fortran_order': False, 'shape': (3,)}"), "dtype '<f8, ' is not supported"},
      {file_with("{'descr': '<f8"), "string without end"},
      {file_with("{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (3,)}"), "not a plain string"},
      {file_with("{'descr': 8, 'fortran_order': False, 'shape': (3,)}"), "'descr' is not a string"},
      {file_with("{descr: '<f8', 'fortran_order': False, 'shape': (3,)}"), "a key is not a string"},
      {file_with("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}"), "object dtype '|O'"},
      {file_with("{'descr': '<U5', 'fortran_order': False, 'shape': (3,)}"), "dtype '<U5' is not supported"},
      {file_with("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (3,)}"), "dtype '<M8[ns]' is not supported"},
      {file_with("{'descr': '<f16', 'fortran_order': False, 'shape': (3,)}"), "dtype '<f16' is not supported"},
      {file_with("{'descr': '<<f8', 'fortran_order': False, 'shape': (3,)}"), "dtype '<<f8' is not supported"},
      {file_with("{'descr': '', 'fortran_order': False, 'shape': (3,)}"), "dtype '' is not supported"},
      {file_with("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}"), "structured"},
      {file_with("{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (3,)}"), "structured"},
  };
  for (const auto& [content, what] : cases) {
    write_file(folder / "bad.npy", content);
    const std::string message = message_of<xp::IoError>([&] { xp::load(folder / "bad.npy", device); });
    EXPECT_NE(message.find(what), std::string::npos) << "'" << message << "' should have: " << what;
    EXPECT_NE(message.find("bad.npy"), std::string::npos) << message;
  }
}

TEST_P(Files, UnusualFilesLoad) {
  const std::string cases[] = {
      file_with("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n"),
      file_with("{\"shape\":(3,4,),\"fortran_order\":False,\"descr\":\"<f8\"}"),
      file_with("  { 'descr' : '=f8' ,\n 'fortran_order' : False , 'shape' : ( 3L , 4L ) , } \t\n"),
      file_with("{'descr': 'f8', 'fortran_order': False, 'shape': (3, 4)}", std::string(96, '\0') + "garbage"),
  };
  for (const std::string& content : cases) {
    write_file(folder / "odd.npy", content);
    const xp::Array array = xp::load(folder / "odd.npy", device);
    EXPECT_EQ(array.dtype(), xp::float64);
    EXPECT_EQ(array.shape(), (Shape{3, 4}));
  }
  write_file(folder / "empty.npy", file_with("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 0)}", ""));
  EXPECT_EQ(xp::load(folder / "empty.npy", device).shape(), (Shape{3, 0}));
  for (const char* descr : {"<V2", "|V2"}) {
    write_file(folder / "b.npy",
               file_with("{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (2,)}"));
    EXPECT_EQ(xp::load(folder / "b.npy", device).dtype(), xp::bfloat16);
  }
}

TEST_P(Files, EveryTruncationIsAnError) {
  const std::string whole = read_file(XP_GOLDEN_DIR "/io/complex64-f-be-3x4-v1.npy");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(folder / "cut.npy", whole.substr(0, size));
    EXPECT_THROW(xp::load(folder / "cut.npy", device), xp::IoError) << size;
  }
}

TEST_P(Files, WhatCannotBeOpenedSaysWhy) {
  const auto load_message = [&](const fs::path& path) {
    return message_of<xp::IoError>([&] { xp::load(path, device); });
  };
  EXPECT_NE(load_message(folder / "none.npy").find("No such file"), std::string::npos);
  EXPECT_NE(load_message(folder).find("a directory"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(load_message(folder / "pipe").find("not a regular file"), std::string::npos);  // and does not wait
}

// ---- Saving

TEST_P(Files, SaveReplacesAFileInOneStep) {
  const fs::path path = folder / "x.npy";
  write_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  fs::create_symlink("x.npy", folder / "link.npy");
  xp::save(folder / "link.npy", make(xp::float32, {2, 3}, device));
  EXPECT_TRUE(fs::is_symlink(folder / "link.npy"));
  EXPECT_EQ(xp::load(path, device).shape(), (Shape{2, 3}));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 2u);
}

TEST_P(Files, SaveErrorsSayWhy) {
  const xp::Array x = make(xp::float32, {2, 3}, device);
  const auto save_message = [&](const fs::path& path) { return message_of<xp::IoError>([&] { xp::save(path, x); }); };
  const std::string missing = save_message(folder / "none" / "x.npy");
  EXPECT_NE(missing.find("none/x.npy"), std::string::npos) << missing;
  EXPECT_NE(missing.find("No such file"), std::string::npos) << missing;
  EXPECT_NE(save_message(folder).find("not a regular file"), std::string::npos);
  EXPECT_NE(save_message("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_THROW(xp::save(folder / "x.npy", xp::Array()), xp::Error);
  EXPECT_EQ(files(), 0u);
}

// A full disk: this process may not write files above 1000 bytes.
XP_CHILD(full_disk) {
  const char* folder = std::getenv("XP_TEST_FOLDER");
  XP_CHILD_EXPECT(folder != nullptr);
  const fs::path path = fs::path(folder) / "x.npy";
  const xp::Array x = xp::ones({1000}, xp::Device(std::getenv("XP_TEST_CHILD_DEVICE")));
  xp::eval(x);
  xp::synchronize();
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1000, 1000};
  XP_CHILD_EXPECT(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::string message = message_of<xp::IoError>([&] { xp::save(path, x); });
  XP_CHILD_EXPECT(message.find("cannot write: File too large") != std::string::npos);
  return 0;
}

TEST_P(Files, AFullDiskLeavesTheOldFile) {
  write_file(folder / "x.npy", "old");
  const xp_test::ChildResult result =
      xp_test::run_child("full_disk", {{"XP_TEST_FOLDER", folder.string()}, {"XP_TEST_CHILD_DEVICE", GetParam()}});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(read_file(folder / "x.npy"), "old");
  EXPECT_EQ(files(), 1u);
}

XP_INSTANTIATE_ON_DEVICES(Files);

// ---- The header alone

xp::detail::NpyHeader parse(const std::string& dict) {
  return xp::detail::parse_npy_header(std::as_bytes(std::span(dict)));
}

TEST(Header, OwnHeadersReadBack) {
  Shape many;
  for (int i = 0; i < 30000; ++i) many.push_back(1);
  for (const Shape& shape :
       {Shape{}, Shape{0}, Shape{7}, Shape{3, 0}, Shape{1000000007}, Shape{2, 3, 4, 5, 6, 7}, many}) {
    for (std::size_t i = 0; i < xp::dtype_count; ++i) {
      const auto dtype = static_cast<DType>(i);
      const std::string text = xp::detail::npy_header(dtype, shape, true);
      EXPECT_EQ(text.size() % 64, 0u);
      EXPECT_EQ(text[6], shape.size() > 10000 ? 2 : 1);
      if (shape.size() > 10000) continue;  // longer than what is read
      const auto preamble =
          xp::detail::parse_npy_preamble(std::as_bytes(std::span(text)).first(xp::detail::npy_preamble_size));
      EXPECT_EQ(preamble.data_offset(), text.size());
      const auto header = parse(text.substr(preamble.offset));
      EXPECT_EQ(header.dtype, dtype);
      EXPECT_EQ(header.shape, shape);
      EXPECT_TRUE(header.fortran_order);
      EXPECT_FALSE(header.swapped);
      EXPECT_EQ(header.bytes, xp::element_count(shape) * xp::itemsize(dtype));
    }
  }
}

TEST(Header, MessagesQuoteNoControlCharacters) {
  const std::string message = message_of<xp::IoError>([] { parse("{'\x1b[31m" + std::string(1000, 'x') + "': 1}"); });
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_LT(message.size(), 300u);
}

TEST(Header, ByteOrderOfParts) {
  std::string bytes = "abcdefghijklmnop";
  const auto swapped = [&](DType dtype) {
    std::string copy = bytes;
    xp::detail::swap_byte_order(std::as_writable_bytes(std::span(copy)), dtype);
    return copy;
  };
  EXPECT_EQ(swapped(xp::uint8), bytes);
  EXPECT_EQ(swapped(xp::bfloat16), "badcfehgjilknmpo");
  EXPECT_EQ(swapped(xp::complex64), "dcbahgfelkjiponm");
  EXPECT_EQ(swapped(xp::complex128), "hgfedcbaponmlkji");
  EXPECT_EQ(swapped(xp::int64), "hgfedcbaponmlkji");
}

}  // namespace
