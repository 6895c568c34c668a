// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ratereplay {

/// Bytes in order: a file, standard input, or a decoder on top of another stream.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Puts up to `size` bytes at `place` and returns how many; 0 = the end. Throws Error (kInput)
  /// when the bytes cannot be read.
  virtual std::size_t read(char* place, std::size_t size) = 0;
};

}  // namespace ratereplay
