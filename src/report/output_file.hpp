// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ratereplay {

/// Where a result goes: standard output or a file, buffered. A file appears under its name only
/// when it is complete: until finish() it is a temporary beside it, which is removed if finish() is
/// never reached. Devices, FIFOs and /dev/stdout are written directly. Not for several threads.
class OutputFile {
 public:
  /// "" and "-" are standard output. Error(kOutput) when the file cannot be made.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Error(kOutput), naming the file, when it cannot be written. A pipe whose reader has left is no
  /// error: from then on everything is dropped.
  void write(std::string_view text) {
    if (text.size() > kBufferBytes - buffer_.size()) flush();
    if (text.size() >= kBufferBytes) {
      write_through(text);
    } else {
      buffer_ += text;
    }
  }

  /// Hands what is buffered to the system.
  void flush();

  /// Flushes, and gives the file its name. Nothing may be written after it.
  void finish();

  /// The reader of the pipe has left: a long producer may stop.
  [[nodiscard]] bool closed() const noexcept { return closed_; }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

  void open();
  void write_through(std::string_view text);
  [[noreturn]] void fail(int error) const;

  std::string path_;       ///< as given, for messages
  std::string target_;     ///< the name the temporary gets; empty when written directly
  std::string temporary_;  ///< empty when there is none (any more)
  int descriptor_ = -1;
  bool owned_ = false;
  bool closed_ = false;
  std::string buffer_;
};

/// Whether two outputs would end in one file, as far as names and links tell; the file need not be
/// there yet. Devices and pipes can take two outputs one after the other.
[[nodiscard]] bool is_same_output(const std::string& a, const std::string& b);

/// Whether a path is another name of standard output: /dev/stdout, or a link to it.
[[nodiscard]] bool is_standard_output(const std::string& path);

}  // namespace ratereplay
