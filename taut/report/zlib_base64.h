// Bytes through zlib into base64 text, piece by piece: what a report page carries its numbers in.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace taut {

class ZlibBase64 {
 public:
  // Level 1 (fast) to 9 (small). The text goes to `sink` in pieces, without line breaks; what it throws passes through.
  ZlibBase64(int level, std::function<void(std::string_view)> sink);
  ~ZlibBase64();
  ZlibBase64(const ZlibBase64&) = delete;
  ZlibBase64& operator=(const ZlibBase64&) = delete;

  void append(std::span<const std::byte> bytes);  // throws std::bad_alloc
  void finish();                                  // the last piece of text

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace taut
