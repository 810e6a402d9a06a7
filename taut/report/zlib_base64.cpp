#include "taut/report/zlib_base64.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "taut/base/text/base64.h"

namespace taut {
namespace {

constexpr std::size_t block = 3 * 64 * 1024;  // a multiple of three: only the last block needs padding

}  // namespace

struct ZlibBase64::Stream {
  std::function<void(std::string_view)> sink;
  z_stream state{};
  std::vector<unsigned char> packed = std::vector<unsigned char>(block);

  void reset_output() {
    state.next_out = packed.data();
    state.avail_out = static_cast<uInt>(packed.size());
  }
  void hand_over() {
    sink(base64(std::as_bytes(std::span(packed.data(), packed.size() - state.avail_out))));
    reset_output();
  }
};

ZlibBase64::ZlibBase64(int level, std::function<void(std::string_view)> sink) : stream_(std::make_unique<Stream>()) {
  stream_->sink = std::move(sink);
  if (deflateInit(&stream_->state, level) != Z_OK) throw std::bad_alloc();
  stream_->reset_output();
}

ZlibBase64::~ZlibBase64() { deflateEnd(&stream_->state); }

void ZlibBase64::append(std::span<const std::byte> bytes) {
  z_stream& state = stream_->state;
  while (!bytes.empty()) {
    const std::size_t piece = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    state.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    state.avail_in = static_cast<uInt>(piece);
    while (state.avail_in > 0) {
      deflate(&state, Z_NO_FLUSH);
      if (state.avail_out == 0) stream_->hand_over();
    }
    bytes = bytes.subspan(piece);
  }
}

void ZlibBase64::finish() {
  z_stream& state = stream_->state;
  state.next_in = nullptr;
  state.avail_in = 0;
  while (deflate(&state, Z_FINISH) != Z_STREAM_END) stream_->hand_over();
  stream_->hand_over();
}

}  // namespace taut
