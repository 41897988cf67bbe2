// SPDX-License-Identifier: Apache-2.0
#include "live/outlet.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/printable.h"
#include "kube/text/base64.h"

namespace dsdoctor::cmd {
namespace {

using std::chrono::milliseconds;

/// Text or JSON, each line flushed, for a pipe or a file.
class LineOutlet final : public Outlet {
 public:
  LineOutlet(const OutletOptions& options, render::Style style, Context& ctx)
      : options_(options), style_(std::move(style)), ctx_(ctx) {}

  void show(const render::LiveUpdate& update, const render::LiveState& state) override {
    if (update.is_first && options_.only_changes) return;
    const auto lines = options_.as_json ? render::change_documents(update, state)
                                        : render::change_lines(update, state, style_);
    for (const std::string& line : lines) ctx_.out << line << "\n";
    ctx_.out << std::flush;
  }
  void show_liveness(const render::LivenessText& liveness, model::Time now) override {
    if (liveness.is_good == is_good_ && liveness.reason == reason_) return;
    const bool is_news = !liveness.is_good || !is_good_;
    is_good_ = liveness.is_good;
    reason_ = liveness.reason;
    if (is_news) say(liveness.notice, now, liveness.is_good);
  }
  void say(std::string_view text, model::Time now, bool is_good) override {
    ctx_.out << (options_.as_json ? render::notice_document(now, text, is_good)
                                  : render::notice_line(now, text))
             << "\n"
             << std::flush;
  }
  bool pause(milliseconds at_most) override {
    std::this_thread::sleep_for(at_most);
    return !ctx_.is_out_closed || !ctx_.is_out_closed();
  }

 private:
  OutletOptions options_;
  render::Style style_;
  Context& ctx_;
  bool is_good_ = true;
  std::string reason_;
};

/// Frames on a terminal.
class ScreenOutlet final : public Outlet {
 public:
  ScreenOutlet(const OutletOptions& options, const render::Presentation& style, Context& ctx)
      : options_(options), screen_(style), ctx_(ctx) {}
  ~ScreenOutlet() override { ScreenOutlet::close(); }
  ScreenOutlet(const ScreenOutlet&) = delete;
  ScreenOutlet& operator=(const ScreenOutlet&) = delete;

  void show(const render::LiveUpdate& update, const render::LiveState& state) override {
    screen_.apply(update, state);
    draw();
  }
  void show_liveness(const render::LivenessText& liveness, model::Time /*now*/) override {
    screen_.set_liveness(liveness);
    draw();
  }
  void say(std::string_view text, model::Time /*now*/, bool /*is_good*/) override {
    screen_.say(base::printable_line(text));
    draw();
  }
  bool pause(milliseconds at_most) override {
    const std::string keys = ctx_.console.keys(at_most);
    for (const render::ScreenAction& action : screen_.press(keys)) {
      switch (action.kind) {
        case render::ScreenAction::Kind::None: break;
        case render::ScreenAction::Kind::Quit: return false;
        case render::ScreenAction::Kind::Copy:
          // OSC 52: the terminal puts the text on the clipboard.
          ctx_.out << "\x1b]52;c;" << kube::encode_base64(action.text) << "\a" << std::flush;
          break;
        case render::ScreenAction::Kind::Snapshot:
          screen_.say("saving ...");
          draw();
          screen_.say(base::printable_line(options_.save()));
          break;
      }
    }
    draw();
    return true;
  }
  [[nodiscard]] bool is_screen() const override { return true; }
  void close() override {
    if (std::exchange(is_closed_, true)) return;
    ctx_.out << std::flush;
    ctx_.console.leave();
  }

 private:
  /// Writes only lines that differ from those on the terminal.
  void draw() {
    const Console::Size size = ctx_.console.size();
    const bool is_new =
        size.columns != size_.columns || size.rows != size_.rows || ctx_.console.was_lost();
    std::vector<std::string> lines = screen_.frame(size.columns, size.rows, ctx_.now());
    std::string bytes;
    if (is_new) bytes += "\x1b[H\x1b[2J";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!is_new && i < shown_.size() && shown_[i] == lines[i]) continue;
      bytes += "\x1b[" + std::to_string(i + 1) + ";1H" + lines[i] + "\x1b[0m\x1b[K";
    }
    size_ = size;
    shown_ = std::move(lines);
    if (!bytes.empty()) ctx_.out << bytes << std::flush;
  }

  OutletOptions options_;
  render::Screen screen_;
  Context& ctx_;
  Console::Size size_;
  std::vector<std::string> shown_;
  bool is_closed_ = false;
};

}  // namespace

std::unique_ptr<Outlet> open_outlet(const OutletOptions& options, bool on_screen,
                                    const render::Presentation& style, Context& ctx) {
  const std::string term = ctx.environment.get("TERM");
  const bool has_screen = ctx.out_is_terminal && ctx.console.enter && !options.as_json &&
                          !term.empty() && term != "dumb";
  if (on_screen && has_screen && ctx.console.enter()) {
    return std::make_unique<ScreenOutlet>(options, style, ctx);
  }
  return std::make_unique<LineOutlet>(options, style, ctx);
}

}  // namespace dsdoctor::cmd
