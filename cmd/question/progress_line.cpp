// SPDX-License-Identifier: Apache-2.0
#include "question/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>

namespace dsdoctor::cmd {
namespace {

constexpr std::chrono::milliseconds between_draws(100);

}  // namespace

ProgressLine::ProgressLine(std::ostream& out, std::size_t width, Delay delay)
    : out_(out), width_(width), delay_(delay) {}

ProgressLine::~ProgressLine() { end(); }

void ProgressLine::begin() {
  end();
  amounts_.clear();
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::system_error&) {
    // without a thread there is no progress line
  }
}

void ProgressLine::end() {
  thread_ = {};  // stops the old thread and joins it
  const std::lock_guard lock(mutex_);
  erase();
}

void ProgressLine::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto never = [] { return false; };
  woken_.wait_for(lock, stop, delay_, never);
  while (!stop.stop_requested()) {
    try {
      draw();
    } catch (const std::bad_alloc&) {
      return;
    }
    woken_.wait_for(lock, stop, between_draws, never);
  }
}

void ProgressLine::update(const std::string& resource, std::size_t objects, std::uint64_t bytes,
                          std::size_t expected) {
  const std::lock_guard lock(mutex_);
  amounts_[resource] = {objects, bytes, expected};
}

void ProgressLine::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  erase();
  out_ << line << "\n" << std::flush;
}

/// Overwrites with blanks: an erasing escape sequence would violate color=never.
void ProgressLine::draw() {
  const std::string now = text();
  const std::size_t rest = drawn_ - std::min(drawn_, now.size());
  out_ << "\r" << now << std::string(rest, ' ') << std::flush;
  drawn_ = now.size();
}

void ProgressLine::erase() {
  if (drawn_ > 0) out_ << "\r" << std::string(drawn_, ' ') << "\r" << std::flush;
  drawn_ = 0;
}

/// At most as long as the terminal is wide: a wrapped line could not be erased.
std::string ProgressLine::text() const {
  if (amounts_.empty()) return "waiting for the cluster";
  std::string result = "reading";
  std::uint64_t bytes = 0;
  const char* separator = " ";
  for (const auto& [resource, amount] : amounts_) {
    const std::string plural = resource.substr(0, resource.find('.'));
    result += fmt::format("{}{} {}", separator, plural, amount.objects);
    if (amount.expected > amount.objects) result += fmt::format(" of {}", amount.expected);
    bytes += amount.bytes;
    separator = ", ";
  }
  result += fmt::format(", {:.1f} MB", static_cast<double>(bytes) / 1e6);
  if (width_ > 0 && result.size() >= width_) result.resize(width_ - 1);
  return result;
}

}  // namespace dsdoctor::cmd
