// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "question/context.h"
#include "render/live/changes.h"
#include "render/live/screen.h"

namespace dsdoctor::cmd {

/// Where the changes of a watched answer are shown.
class Outlet {
 public:
  virtual ~Outlet() = default;
  virtual void show(const render::LiveUpdate& update, const render::LiveState& state) = 0;
  /// How current the data is; called when that changes, and regularly.
  virtual void show_liveness(const render::LivenessText& liveness, model::Time now) = 0;
  /// A line besides the changes.
  virtual void say(std::string_view text, model::Time now, bool is_good) = 0;
  /// Waits for at most this time, unless the user wants something. False: the user quits.
  [[nodiscard]] virtual bool pause(std::chrono::milliseconds at_most) = 0;
  /// Whether it shows frames and reads keys.
  [[nodiscard]] virtual bool is_screen() const { return false; }
  /// Restores the terminal. Called once, at the end.
  virtual void close() {}
};

struct OutletOptions {
  bool as_json = false;
  bool only_changes = false;
  /// Saves a snapshot of the cluster as it is shown; returns what to say.
  std::function<std::string()> save;
};

/// Lines, or a screen if stdout is a terminal that has one and a screen is asked for.
[[nodiscard]] std::unique_ptr<Outlet> open_outlet(const OutletOptions& options, bool on_screen,
                                                  const render::Presentation& style, Context& ctx);

}  // namespace dsdoctor::cmd
