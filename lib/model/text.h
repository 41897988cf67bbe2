// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsdoctor::model {

/// An immutable string that is shared instead of copied, in the size of a pointer. A cluster
/// repeats the same label keys, taint keys and reasons thousands of times; TextPool stores the
/// repeats in one allocation. Reference-counted, so that it is valid independent of other objects.
/// Contains bytes, less than 4 GiB; compares by content. Threads may use different Texts that share
/// a string.
class Text {
 public:
  Text() = default;
  // Implicit on purpose: a Text is usable wherever the API has a string.
  Text(std::string_view value)  // NOLINT(*-explicit-*)
      : shared_(value.empty() ? nullptr : Shared::made_of(value)) {}
  Text(const std::string& value) : Text(std::string_view(value)) {}  // NOLINT(*-explicit-*)
  Text(const char* value) : Text(std::string_view(value)) {}         // NOLINT(*-explicit-*)

  Text(const Text& other) noexcept : shared_(other.shared_) {
    if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Text(Text&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Text& operator=(const Text& other) noexcept {
    Text(other).swap(*this);
    return *this;
  }
  Text& operator=(Text&& other) noexcept {
    Text(std::move(other)).swap(*this);
    return *this;
  }
  ~Text() {
    if (shared_ != nullptr && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      // The analyzer believes that the content of an optional is destroyed twice.
      Shared::destroy(shared_);  // NOLINT(clang-analyzer-cplusplus.NewDelete)
    }
  }

  [[nodiscard]] std::string_view view() const {
    return shared_ != nullptr ? shared_->view() : std::string_view();
  }
  operator std::string_view() const { return view(); }  // NOLINT(*-explicit-*)
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] bool empty() const { return shared_ == nullptr; }

  friend bool operator==(const Text& a, const Text& b) {
    return a.shared_ == b.shared_ || a.view() == b.view();
  }
  friend std::strong_ordering operator<=>(const Text& a, const Text& b) {
    if (a.shared_ == b.shared_) return std::strong_ordering::equal;
    return a.view() <=> b.view();
  }
  friend bool operator==(const Text& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const Text& a, const char* b) { return a.view() == b; }
  friend bool operator==(const Text& a, const std::string& b) { return a.view() == b; }
  friend std::ostream& operator<<(std::ostream& out, const Text& text) {
    return out << text.view();
  }

 private:
  /// The header of the allocation; the bytes follow it.
  struct Shared {
    explicit Shared(std::size_t bytes) : size(static_cast<std::uint32_t>(bytes)) {}

    static Shared* made_of(std::string_view value) {
      if (value.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("a text of more than 4 GiB");
      }
      void* const place = ::operator new(sizeof(Shared) + value.size());
      auto* const result = new (place) Shared(value.size());
      std::memcpy(static_cast<char*>(place) + sizeof(Shared), value.data(), value.size());
      return result;
    }
    static void destroy(Shared* shared) {
      shared->~Shared();
      ::operator delete(shared);
    }
    [[nodiscard]] std::string_view view() const {
      return {reinterpret_cast<const char*>(this + 1), size};
    }

    std::atomic<std::uint32_t> owners = 1;
    std::uint32_t size;
  };

  void swap(Text& other) noexcept { std::swap(shared_, other.shared_); }

  Shared* shared_ = nullptr;  // null for the empty string; shared by equal texts
};

/// Returns the same shared Text for equal strings. Not thread-safe: one pool per decoding thread.
/// The texts outlive the pool.
class TextPool {
 public:
  /// Memory in bytes of the texts and of the pool itself.
  [[nodiscard]] std::size_t bytes() const {
    constexpr std::size_t each = 32;  // overhead of an allocation
    return bytes_ + each * used_ + sizeof(Text) * slots_.size();
  }

  [[nodiscard]] Text intern(std::string_view value) {
    if (value.empty()) return {};
    if (2 * used_ >= slots_.size()) grow();
    Text& slot = slot_of(value);
    if (slot.empty()) {
      slot = Text(value);
      ++used_;
      bytes_ += value.size();
    }
    return slot;
  }

 private:
  static constexpr std::size_t first_slots = 1024;

  /// The slot that contains `value`, or a free slot.
  Text& slot_of(std::string_view value) {
    std::size_t at = std::hash<std::string_view>{}(value);
    for (;; ++at) {
      Text& slot = slots_[at & (slots_.size() - 1)];
      if (slot.empty() || slot == value) return slot;
    }
  }
  void grow() {
    std::vector<Text> before(slots_.empty() ? first_slots : 2 * slots_.size());
    before.swap(slots_);
    for (Text& text : before) {
      if (!text.empty()) slot_of(text) = std::move(text);
    }
  }

  std::vector<Text> slots_;  // open addressing; a power of two, at most half of them used
  std::size_t used_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace dsdoctor::model
