// A file of templates, as a compiler meets them in C++ programs: containers, functions as values, views, formatting, threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace {

template <typename Key, typename Value>
class Cache {
public:
  explicit Cache(std::size_t most) : most_(most) {}

  std::optional<Value> find(const Key& key) {
    const std::unique_lock lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }
  void insert(const Key& key, Value value) {
    const std::unique_lock lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) order_.erase(found->second);
    order_.emplace_front(key, std::move(value));
    places_[key] = order_.begin();
    if (order_.size() <= most_) return;
    places_.erase(order_.back().first);
    order_.pop_back();
  }
  template <typename Do>
  void for_each(Do act) const {
    const std::shared_lock lock(mutex_);
    for (const auto& [key, value] : order_) act(key, value);
  }

private:
  const std::size_t most_;
  mutable std::shared_mutex mutex_;
  std::list<std::pair<Key, Value>> order_;
  std::map<Key, typename std::list<std::pair<Key, Value>>::iterator> places_;
};

template <typename Item>
class Channel {
public:
  void send(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    changed_.notify_one();
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  std::optional<Item> receive() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool closed_ = false;
};

struct Text {
  std::string words;
};
struct Numbers {
  std::vector<double> values;
};
struct Table {
  std::unordered_map<std::string, std::vector<int>> rows;
};
using Document = std::variant<Text, Numbers, Table>;

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

double weight(const Document& document) {
  return std::visit(Overloaded{[](const Text& text) { return static_cast<double>(text.words.size()); },
                               [](const Numbers& numbers) {
                                 return std::accumulate(numbers.values.begin(), numbers.values.end(), 0.0);
                               },
                               [](const Table& table) {
                                 double sum = 0;
                                 for (const auto& [name, row] : table.rows)
                                   sum +=
                                       static_cast<double>(name.size()) + std::accumulate(row.begin(), row.end(), 0.0);
                                 return sum;
                               }},
                    document);
}

template <std::size_t... I>
auto squares(std::index_sequence<I...>) {
  return std::array<std::size_t, sizeof...(I)>{(I * I)...};
}

template <typename Container, typename Compare>
std::vector<typename Container::value_type> sorted(const Container& from, Compare compare) {
  std::vector<typename Container::value_type> all(from.begin(), from.end());
  std::sort(all.begin(), all.end(), compare);
  return all;
}

class Pool {
public:
  explicit Pool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        while (auto task = tasks_.receive()) (*task)();
      });
  }
  ~Pool() {
    tasks_.close();
    for (std::thread& thread : threads_) thread.join();
  }
  template <typename Function>
  auto run(Function function) -> std::future<decltype(function())> {
    auto task = std::make_shared<std::packaged_task<decltype(function())()>>(std::move(function));
    auto result = task->get_future();
    tasks_.send([task] { (*task)(); });
    return result;
  }

private:
  Channel<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
};

std::map<std::string, int> count_words(const std::string& text) {
  static const std::regex word("[a-z]+");
  std::map<std::string, int> counts;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), word); at != std::sregex_iterator(); ++at)
    ++counts[at->str()];
  return counts;
}

} // namespace

int main() {
  Cache<std::string, int> words(100);
  Cache<int, std::shared_ptr<Document>> documents(10);
  std::atomic<int> done = 0;
  std::mt19937 random(1);
  std::ostringstream out;
  {
    Pool pool(3);
    std::vector<std::future<double>> weights;
    for (int i = 0; i < 30; ++i) {
      auto document = std::make_shared<Document>();
      if (i % 3 == 0) *document = Text{std::string(static_cast<std::size_t>(i), 'x')};
      else if (i % 3 == 1) *document = Numbers{{1.0 * i, 2.0 * i}};
      else *document = Table{{{"row", {i, i + 1}}, {"other", {i * 2}}}};
      documents.insert(i, document);
      weights.push_back(pool.run([document, &done] {
        ++done;
        return weight(*document);
      }));
    }
    auto counted = pool.run([] { return count_words("the cat and the dog and the bird"); });
    for (auto& one : weights) out << one.get() << ' ';
    for (const auto& [word, count] : counted.get()) words.insert(word, count);
  }
  words.for_each([&](const std::string& word, int count) { out << word << count << ' '; });
  documents.for_each([&](int key, const auto& document) { out << key << ':' << document->index() << ' '; });
  std::set<std::string> names = {"one", "two", "three"};
  for (const auto& name : sorted(names, [](const auto& a, const auto& b) { return a.size() < b.size(); })) out << name;
  std::unordered_set<int> seen;
  for (int i : std::views::iota(0, 100) | std::views::filter([](int n) { return n % 7 == 0; }) |
                   std::views::transform([](int n) { return n * n; }))
    seen.insert(i);
  for (std::size_t square : squares(std::make_index_sequence<10>())) out << square << (seen.count(49) ? '!' : '?');
  std::vector<std::tuple<int, std::string>> pairs;
  for (int i = 0; i < 20; ++i) pairs.emplace_back(static_cast<int>(random() % 10), std::to_string(i));
  std::stable_sort(pairs.begin(), pairs.end());
  return out.str().size() + pairs.size() > 10 && done == 30 ? 0 : 1;
}
