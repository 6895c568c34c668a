// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ratereplay {

/// A key in 16 bytes. Up to 15 bytes of text are held inline, zero padded, with the length in the
/// last byte; a longer text is a pointer, its length and 30 bits of its hash. A hash only ever
/// finds a candidate; keys are the same when their whole texts are.
class PackedKey {
 public:
  static constexpr std::size_t kInlineBytes = 15;

  PackedKey() = default;

  /// `text` may be read (not used) for 16 bytes past its end, and a text longer than kInlineBytes
  /// must outlive the key. At most 2^26 - 1 bytes.
  explicit PackedKey(std::string_view text) noexcept {
    std::uint64_t hash = 0;
    *this = hashed(text, hash);
  }

  /// The same, and its hash().
  static PackedKey hashed(std::string_view text, std::uint64_t& hash) noexcept {
    static_assert(std::endian::native == std::endian::little);
    PackedKey key;
    if (text.size() <= kInlineBytes) [[likely]] {
      std::memcpy(&key.low_, text.data(), 8);
      std::memcpy(&key.high_, text.data() + 8, 8);
      key.low_ &= kKept[text.size()].low;
      key.high_ = (key.high_ & kKept[text.size()].high) | std::uint64_t{text.size()} << 56;
      hash = mix(key.low_, key.high_);
    } else {
      key.low_ = std::bit_cast<std::uint64_t>(text.data());
      key.high_ = kLong | (hash_text(text) & kHashMask) << 26 | text.size();
      hash = key.hash();
    }
    return key;
  }

  [[nodiscard]] bool is_long() const noexcept { return (high_ & kLong) == kLong; }

  /// The whole text. For an inline key it lies inside this object.
  [[nodiscard]] std::string_view text() const noexcept {
    if (is_long()) return {std::bit_cast<const char*>(low_), high_ & kLengthMask};
    return {reinterpret_cast<const char*>(&low_), high_ >> 56};
  }

  /// Where to look for it; equal keys have equal hashes.
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return is_long() ? mix(high_ >> 26 & kHashMask, 0) : mix(low_, high_);
  }

  /// The same long text at another place.
  [[nodiscard]] PackedKey moved_to(const char* text) const noexcept {
    PackedKey moved = *this;
    moved.low_ = std::bit_cast<std::uint64_t>(text);
    return moved;
  }

  friend bool operator==(const PackedKey& a, const PackedKey& b) noexcept {
    if (a.high_ != b.high_) return false;
    return a.low_ == b.low_ || (a.is_long() && a.text() == b.text());
  }

 private:
  static constexpr std::uint64_t kLong = std::uint64_t{0xFF} << 56;
  static constexpr std::uint64_t kLengthMask = (std::uint64_t{1} << 26) - 1;
  static constexpr std::uint64_t kHashMask = (std::uint64_t{1} << 30) - 1;

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Product = unsigned __int128;
    const Product product = Product{a ^ 0x9E3779B97F4A7C15U} * (b ^ 0xD1B54A32D192ED03U);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  static std::uint64_t hash_text(std::string_view text) noexcept;

  /// The bytes of an inline text of so many.
  struct Kept {
    std::uint64_t low;
    std::uint64_t high;
  };
  static constexpr std::array<Kept, kInlineBytes + 1> kKept = [] {
    std::array<Kept, kInlineBytes + 1> kept{};
    for (std::size_t size = 0; size <= kInlineBytes; ++size) {
      const auto first = [](std::size_t bytes) {
        return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
      };
      kept[size] = {first(size), size <= 8 ? 0 : first(size - 8)};
    }
    return kept;
  }();

  // Inline text may be viewed across both words: keep them adjacent and in this order.
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};
static_assert(sizeof(PackedKey) == 16);

}  // namespace ratereplay
