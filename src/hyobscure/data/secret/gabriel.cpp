#include "hyobscure/data/secret/gabriel.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace hyobscure::data {
namespace {

constexpr std::size_t kPointsOfALeaf = 8;

/// All that is inside lies between `low` and `high` in every coordinate.
struct Box {
  std::vector<std::int64_t> low = {}, high = {};
  std::uint32_t first = 0, end = 0;   ///< in the order of the tree
  std::uint32_t left = 0, right = 0;  ///< boxes; 0 in a leaf

  bool is_leaf() const { return left == 0; }
};

class Tree {
 public:
  explicit Tree(const WholePoints& points) : points_(points), order_(points.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    if (!order_.empty()) grow(0, static_cast<std::uint32_t>(order_.size()));
  }

  const Box& box(std::uint32_t b) const { return boxes_[b]; }
  std::uint32_t point(std::uint32_t place) const { return order_[place]; }

 private:
  std::uint32_t grow(std::uint32_t first, std::uint32_t end) {
    const auto number = static_cast<std::uint32_t>(boxes_.size());
    boxes_.push_back(box_around(first, end));
    if (end - first <= kPointsOfALeaf) return number;
    const std::size_t across = widest(boxes_[number]);
    const std::uint32_t middle = first + (end - first) / 2;
    std::nth_element(
        order_.begin() + first, order_.begin() + middle, order_.begin() + end,
        [&](std::uint32_t a, std::uint32_t b) { return points_[a][across] < points_[b][across]; });
    const std::uint32_t left = grow(first, middle), right = grow(middle, end);
    boxes_[number].left = left;
    boxes_[number].right = right;
    return number;
  }

  Box box_around(std::uint32_t first, std::uint32_t end) const {
    Box box{.first = first, .end = end};
    for (std::size_t d = 0; d < points_.dimensions(); ++d) {
      const auto at = [&](std::uint32_t point) { return points_[point][d]; };
      const auto [low, high] = std::ranges::minmax(
          std::vector<std::uint32_t>(order_.begin() + first, order_.begin() + end), {}, at);
      box.low.push_back(at(low));
      box.high.push_back(at(high));
    }
    return box;
  }

  std::size_t widest(const Box& box) const {
    std::size_t best = 0;
    for (std::size_t d = 1; d < points_.dimensions(); ++d)
      if (box.high[d] - box.low[d] > box.high[best] - box.low[best]) best = d;
    return best;
  }

  const WholePoints& points_;
  std::vector<std::uint32_t> order_;
  std::vector<Box> boxes_;
};

/// The neighbours of one point after the other.
class Search {
 public:
  explicit Search(const WholePoints& points) : points_(points), tree_(points) {}

  std::vector<std::uint32_t> neighbours(std::uint32_t a) {
    a_ = points_[a];
    listed_.clear();
    std::vector<std::uint32_t> found;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.push({0, false, 0});
    while (!queue.empty()) {
      const Entry next = queue.top();
      queue.pop();
      if (next.is_point) {
        if (is_behind_listed(points_[next.number])) continue;
        listed_.push_back(points_[next.number]);
        if (!is_blocked(a, next.number)) found.push_back(next.number);
      } else if (const Box& box = tree_.box(next.number); !is_behind_listed(box)) {
        open(box, a, queue);
      }
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  struct Entry {
    std::int64_t distance;
    bool is_point;
    std::uint32_t number;
    auto operator<=>(const Entry&) const = default;
  };

  template <class Queue>
  void open(const Box& box, std::uint32_t a, Queue& queue) const {
    if (!box.is_leaf())
      for (const std::uint32_t half : {box.left, box.right})
        queue.push({least_distance(tree_.box(half)), false, half});
    else
      for (std::uint32_t place = box.first; place < box.end; ++place)
        if (const std::uint32_t b = tree_.point(place); b != a && !is_behind_listed(points_[b]))
          queue.push({distance(a_, points_[b]), true, b});
  }

  std::int64_t distance(const std::int64_t* a, const std::int64_t* b) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < points_.lines; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
    for (std::size_t d = points_.lines; d < points_.dimensions(); ++d) sum += a[d] != b[d] ? 1 : 0;
    return sum;
  }

  std::int64_t least_distance(const Box& box) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < points_.dimensions(); ++d) {
      const std::int64_t gap = std::max({std::int64_t{0}, box.low[d] - a_[d], a_[d] - box.high[d]});
      sum += d < points_.lines ? gap * gap : std::min<std::int64_t>(gap, 1);
    }
    return sum;
  }

  /// c blocks b where d²(a,c) + d²(c,b) - d²(a,b) is not positive. On a line this is 2 (a - c) (b - c),
  /// linear in b: largest at an end of the box.
  bool blocks(const std::int64_t* c, const std::int64_t* low, const std::int64_t* high) const {
    std::int64_t most = 0;
    for (std::size_t d = 0; d < points_.lines; ++d)
      most += 2 * (a_[d] - c[d]) * ((a_[d] > c[d] ? high[d] : low[d]) - c[d]);
    for (std::size_t d = points_.lines; d < points_.dimensions(); ++d) {
      if (a_[d] == c[d]) continue;
      const bool one_name = low[d] == high[d];
      most += one_name ? 1 + (c[d] != low[d] ? 1 : 0) - (a_[d] != low[d] ? 1 : 0) : 2;
    }
    return most <= 0;
  }

  bool is_behind_listed(const Box& box) const {
    return std::ranges::any_of(
        listed_, [&](const std::int64_t* c) { return blocks(c, box.low.data(), box.high.data()); });
  }
  bool is_behind_listed(const std::int64_t* b) const {
    return std::ranges::any_of(listed_, [&](const std::int64_t* c) { return c != b && blocks(c, b, b); });
  }

  /// By any point at all, also one that is behind another.
  bool is_blocked(std::uint32_t a, std::uint32_t b) {
    const std::int64_t apart = distance(a_, points_[b]);
    stack_.assign({0});
    while (!stack_.empty()) {
      const Box& box = tree_.box(stack_.back());
      stack_.pop_back();
      if (least_detour(points_[b], box) > apart) continue;
      if (!box.is_leaf()) {
        stack_.insert(stack_.end(), {box.left, box.right});
        continue;
      }
      for (std::uint32_t place = box.first; place < box.end; ++place)
        if (const std::uint32_t c = tree_.point(place);
            c != a && c != b && blocks(points_[c], points_[b], points_[b]))
          return true;
    }
    return false;
  }

  /// d²(a,c) + d²(c,b) is at least this for every c of the box.
  std::int64_t least_detour(const std::int64_t* b, const Box& box) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < points_.dimensions(); ++d) {
      if (d >= points_.lines) {
        const auto has = [&](std::int64_t name) { return box.low[d] <= name && name <= box.high[d]; };
        sum += has(a_[d]) || has(b[d]) ? (a_[d] != b[d] ? 1 : 0) : 2;
        continue;
      }
      // Half way between a and b is best; the sum of two may be odd, and both halves are as good.
      const std::int64_t c = std::clamp((a_[d] + b[d]) >> 1, box.low[d], box.high[d]);
      sum += (a_[d] - c) * (a_[d] - c) + (c - b[d]) * (c - b[d]);
    }
    return sum;
  }

  const WholePoints& points_;
  Tree tree_;
  const std::int64_t* a_ = nullptr;
  std::vector<const std::int64_t*> listed_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> gabriel_graph(const WholePoints& points) {
  Search search(points);
  std::vector<std::vector<std::uint32_t>> graph(points.size());
  for (std::uint32_t a = 0; a < points.size(); ++a) graph[a] = search.neighbours(a);
  return graph;
}

}  // namespace hyobscure::data
