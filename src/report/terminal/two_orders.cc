#include "report/terminal/two_orders.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "report/object_names.h"
#include "report/phrases.h"
#include "report/terminal/table.h"

namespace sooth::report {

using witness::FindingKind;
using witness::Status;

namespace {

constexpr std::size_t kMostThreads = 4;  // columns; more would not be readable
constexpr std::size_t kLeastColumn = 20; // characters; below it, the runs go one below the other
constexpr std::size_t kWidestColumn = 44;
constexpr std::size_t kMargin = 4;

struct OrderCell {
  std::string where; // "12" or "bank.cpp:12"
  std::string what;
  bool decisive = false;
};

// A row of one run: a cell for each column.
struct OrderRow {
  std::vector<std::optional<OrderCell>> cells;
  std::string text; // instead of cells: "... 12 more steps"
  std::string mark; // below the cells
};

class OrdersWriter {
public:
  OrdersWriter(const Report& report, const FindingText& finding, const OrdersOptions& options)
      : report_(report), finding_(finding), options_(options) {}

  OrdersText write() {
    if (finding_.recorded.empty()) return {};
    choose_threads();
    choose_names();
    const std::vector<OrderRow> recorded = rows_of(finding_.recorded), predicted = rows_of(finding_.predicted);
    if (recorded.size() + predicted.size() < 2) return {}; // its place says it
    const std::string title = fmt::format("{} order", finding_.status == Status::Confirmed ? "confirmed" : "predicted");
    OrdersText out;
    out.places = std::move(places_);
    if (predicted.empty()) return out.table = one("observed order", recorded), out;
    const std::size_t room = options_.columns - std::min(options_.columns, kMargin + 3);
    const std::size_t each = std::min(kWidestColumn, room / (2 * threads_.size()));
    out.table = each >= kLeastColumn ? beside(recorded, title, predicted, each)
                                     : one("observed order", recorded) + "\n" + one(title, predicted);
    return out;
  }

private:
  const StepText& step_at(const StoryStep& step) const { return step_of(report_, step.event); }

  // The threads of the finding's places first; then those with the most steps.
  void choose_threads() {
    std::map<std::uint32_t, std::size_t> steps;
    for (const auto* run : {&finding_.recorded, &finding_.predicted})
      for (const StoryStep& step : *run) steps[step_at(step).thread] += step.decisive ? 1'000'000 : 1;
    std::vector<std::pair<std::size_t, std::uint32_t>> ranked;
    for (const auto& [thread, count] : steps) ranked.emplace_back(count, thread);
    std::ranges::sort(ranked, std::greater<>());
    if (ranked.size() > kMostThreads) ranked.resize(kMostThreads);
    for (const auto& [count, thread] : ranked) threads_.push_back(thread);
    std::ranges::sort(threads_);
  }

  // Short names where they are not ambiguous: `balance_` for `Account::balance_`.
  void choose_names() {
    std::map<std::string, std::set<std::string>> full;
    for (const auto* run : {&finding_.recorded, &finding_.predicted})
      for (const StoryStep& story : *run) {
        const StepText& step = step_at(story);
        full[short_name(step.variable)].insert(step.variable);
        files_.insert(step.spot.file);
        if (step.spot.line != 0) places_.emplace(step.spot.file, step.spot.line);
      }
    for (const auto& [name, variables] : full)
      if (variables.size() == 1) short_[*variables.begin()] = name;
    files_.erase("");
  }

  std::size_t column_of(std::uint32_t thread) const {
    return static_cast<std::size_t>(std::ranges::find(threads_, thread) - threads_.begin());
  }

  std::vector<OrderRow> rows_of(const std::vector<StoryStep>& run) {
    std::vector<OrderRow> out;
    const StepText* before = nullptr; // whose cell the last row is
    std::uint64_t others = 0;
    for (const StoryStep& story : run) {
      const StepText& step = step_at(story);
      const std::size_t column = column_of(step.thread);
      if (column == threads_.size()) {
        ++others;
        continue;
      }
      if (story.left_out != 0) {
        out.push_back({{}, fmt::format("... {} more step{}", story.left_out, story.left_out == 1 ? "" : "s"), ""});
        before = nullptr;
      }
      if (!story.next && before != nullptr && merged(*before, step, out.back(), column, story.decisive)) {
        before = &step;
        continue;
      }
      const bool beside_another = story.next && !out.empty() && next_row_ == out.size() - 1;
      if (!beside_another || out.back().cells[column]) {
        out.push_back({std::vector<std::optional<OrderCell>>(threads_.size()), "", ""});
        if (story.next) next_row_ = out.size() - 1;
      }
      out.back().cells[column] = OrderCell{where(step.spot), what(step, story.next), story.decisive};
      if (story.next) out.back().mark = mark();
      before = story.next ? nullptr : &step;
    }
    next_row_ = kNone;
    if (others != 0) out.push_back({{}, fmt::format("({} steps of other threads)", others), ""});
    return out;
  }

  // `++x` is a read and a write of one line: one row. So is what repeats itself.
  bool merged(const StepText& before, const StepText& step, OrderRow& row, std::size_t column, bool decisive) const {
    if (before.thread != step.thread || before.spot.line != step.spot.line || before.variable != step.variable ||
        before.spot.file != step.spot.file)
      return false;
    OrderCell& cell = *row.cells[column];
    const bool update = before.kind == "read" && step.kind == "write";
    if (!update && before.kind != step.kind) return false;
    cell.what = update ? fmt::format("reads and writes {}{}", name(step), value(step)) : what(step, false);
    cell.decisive = cell.decisive || decisive;
    return true;
  }

  std::string name(const StepText& step) const {
    const auto it = short_.find(step.variable);
    return it == short_.end() ? step.variable : it->second;
  }
  static std::string value(const StepText& step) {
    constexpr std::size_t kLongest = 24;
    return step.value.empty() || step.value.size() > kLongest ? "" : " = " + step.value;
  }
  std::string what(const StepText& step, bool next) const {
    StepText shown = step;
    shown.variable = name(step);
    if (shown.access && value(step).empty()) shown.value.clear();
    return next ? next_phrase(shown) : step_phrase(shown);
  }
  std::string where(const Spot& spot) const {
    if (spot.line == 0) return spot.file.empty() ? "" : "?";
    if (files_.size() < 2) return std::to_string(spot.line);
    return fmt::format("{}:{}", std::filesystem::path(spot.file).filename().string(), spot.line);
  }
  std::string mark() const {
    switch (finding_.kind) {
    case FindingKind::Race: return "^ at the same time";
    case FindingKind::Deadlock: return "^ each waits for ever";
    case FindingKind::LostWakeup: return "^ waits for ever";
    case FindingKind::Assertion: return "^ and fails";
    default: return "^ here";
    }
  }

  // --- layout ---

  using Lines = std::vector<std::string>;

  std::string header(std::size_t columns) const {
    std::string out;
    for (const std::uint32_t thread : threads_)
      out += padded(cut_to(thread_phrase(finding_, thread), columns - 1), columns);
    return out;
  }

  // The line number stands alone where the rest does not fit behind it.
  static Lines lines_of_cell(const OrderCell& cell, std::size_t columns) {
    if (cell.where.empty()) return wrapped(cell.what, columns, 2);
    const std::string begin = cell.where + "  ";
    constexpr std::size_t kShort = 8;
    if (width(begin) + width(cell.what) <= columns || width(begin) <= kShort)
      return wrapped(begin + cell.what, columns, width(begin));
    Lines out = {cut_to(cell.where, columns)};
    for (const std::string& line : wrapped(cell.what, columns - 2)) out.push_back("  " + line);
    return out;
  }

  // One row as lines of `columns` characters for each thread.
  Lines lines_of(const OrderRow& row, std::size_t columns) const {
    if (row.cells.empty()) return {row.text};
    std::vector<Lines> cells(threads_.size());
    std::size_t height = 1;
    for (std::size_t c = 0; c < threads_.size(); ++c) {
      if (!row.cells[c]) continue;
      const OrderCell& cell = *row.cells[c];
      cells[c] = lines_of_cell(cell, columns - 2);
      height = std::max(height, cells[c].size());
    }
    Lines out;
    for (std::size_t i = 0; i < height; ++i) {
      std::string line;
      for (std::size_t c = 0; c < threads_.size(); ++c) {
        const std::string text = padded(i < cells[c].size() ? cells[c][i] : "", columns);
        const bool marked = options_.color && row.cells[c] && row.cells[c]->decisive;
        line += marked ? "\033[1m" + text + "\033[0m" : text;
      }
      out.push_back(line);
    }
    if (!row.mark.empty()) out.push_back(std::string(indent_of(row, columns), ' ') + red(row.mark));
    return out;
  }
  // The mark stands below the first cell, if there is room.
  std::size_t indent_of(const OrderRow& row, std::size_t columns) const {
    const auto first = std::ranges::find_if(row.cells, [](const auto& cell) { return cell.has_value(); });
    const std::size_t indent = static_cast<std::size_t>(first - row.cells.begin()) * columns;
    return indent + width(row.mark) <= columns * threads_.size() ? indent : 0;
  }
  std::string red(const std::string& text) const { return options_.color ? "\033[1;31m" + text + "\033[0m" : text; }

  // As wide as its widest cell needs.
  std::size_t needed(const std::vector<OrderRow>& rows) const {
    std::size_t most = 0;
    for (const std::uint32_t thread : threads_) most = std::max(most, width(thread_phrase(finding_, thread)) + 2);
    for (const OrderRow& row : rows)
      for (const auto& cell : row.cells)
        if (cell) most = std::max(most, width(cell->where) + width(cell->what) + 4);
    return most;
  }

  static void end_line(std::string line, std::string& out) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }

  std::string one(const std::string& title, const std::vector<OrderRow>& rows) const {
    const std::size_t room = options_.columns - std::min(options_.columns, kMargin);
    const std::size_t columns =
        std::clamp(std::min(needed(rows), room / threads_.size()), kLeastColumn, 2 * kWidestColumn);
    const std::string margin(kMargin, ' ');
    std::string out = "  " + title + "\n";
    end_line(margin + header(columns), out);
    for (const OrderRow& row : rows)
      for (const std::string& line : lines_of(row, columns)) end_line(margin + line, out);
    return out;
  }

  std::string beside(const std::vector<OrderRow>& recorded, const std::string& title,
                     const std::vector<OrderRow>& predicted, std::size_t most) const {
    const std::size_t left = std::clamp(needed(recorded), kLeastColumn, most),
                      right = std::clamp(needed(predicted), kLeastColumn, most);
    const std::string margin(kMargin, ' ');
    const std::size_t left_width = left * threads_.size();
    std::string out;
    end_line("  " + padded("observed order", left_width + 2) + "| " + title, out);
    end_line(margin + header(left) + "| " + header(right), out);
    Lines left_lines, right_lines;
    for (const OrderRow& row : recorded) std::ranges::move(lines_of(row, left), std::back_inserter(left_lines));
    for (const OrderRow& row : predicted) std::ranges::move(lines_of(row, right), std::back_inserter(right_lines));
    for (std::size_t i = 0; i < std::max(left_lines.size(), right_lines.size()); ++i) {
      std::string line = i < left_lines.size() ? left_lines[i] : "";
      if (line.find('\033') == std::string::npos) line = padded(line, left_width); // coloured ones are padded already
      end_line(margin + line + "| " + (i < right_lines.size() ? right_lines[i] : ""), out);
    }
    return out;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  const Report& report_;
  const FindingText& finding_;
  const OrdersOptions& options_;
  std::vector<std::uint32_t> threads_; // ascending: the columns
  std::map<std::string, std::string> short_;
  std::set<std::string> files_;
  SourcePlaces places_;
  std::size_t next_row_ = kNone; // of the run that is made: the row of the threads' next events
};

} // namespace

OrdersText two_orders(const Report& report, const FindingText& finding, const OrdersOptions& options) {
  return OrdersWriter(report, finding, options).write();
}

} // namespace sooth::report
