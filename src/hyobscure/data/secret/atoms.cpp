#include "hyobscure/data/secret/atoms.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <set>

namespace hyobscure::data {
namespace {

/// Values by their people; an entry counts as long as the value still has that many.
class SmallestFirst {
 public:
  explicit SmallestFirst(const std::vector<std::int64_t>& people) : people_(people) {}

  void add(std::uint32_t value) { queue_.emplace(people_[value], value); }

  /// Of equals the first value; each only once.
  template <class IsThere>
  std::optional<std::uint32_t> take(IsThere&& is_there) {
    while (!queue_.empty()) {
      const auto [count, value] = queue_.top();
      queue_.pop();
      if (is_there(value) && people_[value] == count) return value;
    }
    return std::nullopt;
  }

 private:
  using Entry = std::pair<std::int64_t, std::uint32_t>;
  const std::vector<std::int64_t>& people_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// Who was joined with whom; the first point stands for all.
class Joined {
 public:
  explicit Joined(std::size_t points) : into_(points) { std::iota(into_.begin(), into_.end(), 0u); }

  bool stands(std::uint32_t point) const { return into_[point] == point; }
  void join(std::uint32_t first, std::uint32_t other) { into_[other] = first; }

  std::vector<std::uint32_t> numbered() {
    std::vector<std::uint32_t> value(into_.size());
    std::uint32_t next = 0;
    for (std::uint32_t point = 0; point < into_.size(); ++point)
      value[point] = stands(point) ? next++ : value[into_[point]];  // which stands before it
    return value;
  }

 private:
  std::vector<std::uint32_t> into_;
};

std::vector<std::uint32_t> join_in_graph(const SecretSpace& space, std::vector<std::int64_t> people,
                                         std::size_t atoms) {
  std::vector<std::set<std::uint32_t>> neighbours;
  for (const auto& list : neighbours_of_points(space)) neighbours.emplace_back(list.begin(), list.end());
  Joined joined(people.size());
  SmallestFirst order(people);
  for (std::uint32_t point = 0; point < people.size(); ++point) order.add(point);
  for (std::size_t left = people.size(); left > atoms; --left) {
    const std::uint32_t least = *order.take([&](std::uint32_t v) { return joined.stands(v); });
    const std::uint32_t near = *std::ranges::min_element(
        neighbours[least], {}, [&](std::uint32_t v) { return std::pair{people[v], v}; });
    const std::uint32_t first = std::min(least, near), other = std::max(least, near);
    joined.join(first, other);
    people[first] += people[other];
    for (const std::uint32_t next : neighbours[other]) {
      neighbours[next].erase(other);
      if (next == first) continue;
      neighbours[next].insert(first);
      neighbours[first].insert(next);
    }
    neighbours[other].clear();
    order.add(first);
  }
  return joined.numbered();
}

/// All are neighbours: the two smallest are joined.
std::vector<std::uint32_t> join_names(std::vector<std::int64_t> people, std::size_t atoms) {
  Joined joined(people.size());
  SmallestFirst order(people);
  for (std::uint32_t point = 0; point < people.size(); ++point) order.add(point);
  for (std::size_t left = people.size(); left > atoms; --left) {
    const auto stands = [&](std::uint32_t v) { return joined.stands(v); };
    const std::uint32_t one = *order.take(stands), next = *order.take(stands);
    joined.join(std::min(one, next), std::max(one, next));
    people[std::min(one, next)] += people[std::max(one, next)];
    order.add(std::min(one, next));
  }
  return joined.numbered();
}

/// The hierarchy while its ends are joined: siblings know who stands beside them.
class ShrinkingTree {
 public:
  ShrinkingTree(const std::vector<HierarchyNode>& nodes, const std::vector<std::int64_t>& people)
      : parent_(nodes.size(), kNone),
        before_(nodes.size(), kNone),
        after_(nodes.size(), kNone),
        is_end_(nodes.size(), false),
        people_(nodes.size(), 0),
        first_leaf_(nodes.size()),
        joined_(people.size()),
        order_(people_) {
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      first_leaf_[n] = nodes[n].first;
      for (std::size_t c = 0; c < nodes[n].children.size(); ++c) {
        parent_[nodes[n].children[c]] = n;
        if (c > 0) stand_beside(nodes[n].children[c - 1], nodes[n].children[c]);
      }
      if (nodes[n].children.empty()) become_end(n, people[nodes[n].first]);
    }
  }

  std::vector<std::uint32_t> shrink(std::size_t atoms) {
    for (std::size_t left = joined_size(); left > atoms; --left) join_once();
    return joined_.numbered();
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  std::size_t joined_size() const { return static_cast<std::size_t>(std::ranges::count(is_end_, true)); }

  void stand_beside(std::uint32_t left, std::uint32_t right) {
    if (left != kNone) after_[left] = right;
    if (right != kNone) before_[right] = left;
  }

  /// Its neighbours may now be joined with it.
  void become_end(std::uint32_t node, std::int64_t people) {
    is_end_[node] = true;
    people_[node] = people;
    for (const std::uint32_t end : {node, before_[node], after_[node]})
      if (end != kNone && is_end_[end]) order_.add(end);
  }

  /// The end beside it with fewer people; none where both sides branch.
  std::uint32_t partner(std::uint32_t node) const {
    const std::uint32_t left = before_[node], right = after_[node];
    const bool left_is_end = left != kNone && is_end_[left], right_is_end = right != kNone && is_end_[right];
    if (left_is_end && right_is_end) return people_[right] < people_[left] ? right : left;
    return left_is_end ? left : right_is_end ? right : kNone;
  }

  /// Under the deepest branch all children are ends, so somebody has a partner.
  void join_once() {
    std::uint32_t node = kNone, other = kNone;
    while (other == kNone) {
      node = *order_.take([&](std::uint32_t n) { return is_end_[n]; });
      other = partner(node);
    }
    const std::uint32_t left = before_[node] == other ? other : node, right = left == node ? other : node;
    joined_.join(first_leaf_[left], first_leaf_[right]);
    is_end_[right] = false;
    stand_beside(left, after_[right]);
    const std::int64_t both = people_[left] + people_[right];
    const bool alone = before_[left] == kNone && after_[left] == kNone;
    if (alone) is_end_[left] = false;
    become_end(alone ? parent_[left] : left, both);
  }

  std::vector<std::uint32_t> parent_, before_, after_;
  std::vector<bool> is_end_;
  std::vector<std::int64_t> people_;
  std::vector<std::uint32_t> first_leaf_;
  Joined joined_;
  SmallestFirst order_;
};

}  // namespace

AtomCut cut_into_atoms(const std::vector<std::int64_t>& people, int atoms) {
  AtomCut cut{std::vector<std::uint32_t>(people.size()), 0};
  if (people.size() <= static_cast<std::size_t>(atoms)) {
    std::iota(cut.atom_of_value.begin(), cut.atom_of_value.end(), 0u);
    cut.atoms = static_cast<std::uint32_t>(people.size());
    return cut;
  }
  // Value v belongs to the quantile in which the middle one of its people falls; empty quantiles vanish.
  const double total = static_cast<double>(std::accumulate(people.begin(), people.end(), std::int64_t{0}));
  double before = 0;
  int last = -1;
  for (std::size_t v = 0; v < people.size(); ++v) {
    const double middle = before + static_cast<double>(people[v]) / 2;
    before += static_cast<double>(people[v]);
    const int quantile = std::min(atoms - 1, static_cast<int>(middle / total * atoms));
    if (quantile != last) cut.atoms += 1;
    last = quantile;
    cut.atom_of_value[v] = cut.atoms - 1;
  }
  return cut;
}

std::vector<std::uint32_t> join_points(const SecretSpace& space, const std::vector<std::int64_t>& people,
                                       int atoms) {
  const auto wanted = static_cast<std::size_t>(atoms);
  std::vector<std::uint32_t> each(people.size());
  std::iota(each.begin(), each.end(), 0u);
  if (people.size() <= wanted) return each;
  if (!space.hierarchy.empty()) return ShrinkingTree(space.hierarchy, people).shrink(wanted);
  if (space.axes.size() == 1 && space.axes[0].kind == AxisKind::Categorical)
    return join_names(people, wanted);
  return join_in_graph(space, people, wanted);
}

}  // namespace hyobscure::data
