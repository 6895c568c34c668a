// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace ratereplay {

/// Memory for what is too large for any cache and accessed in no order: in huge pages, where the
/// system has them, since with small ones nearly every access has to look up its page too. Elements
/// that are given no value are default-initialised.
template <class T>
class LargeAllocator {
 public:
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  explicit(false) LargeAllocator(const LargeAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > (static_cast<std::size_t>(-1) - kPage) / sizeof(T))
      throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(checked(std::malloc(bytes)));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* const memory = checked(std::aligned_alloc(kPage, whole));
    static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }

  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    if constexpr (sizeof...(Values) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
    }
  }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) noexcept { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  static void* checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace ratereplay
