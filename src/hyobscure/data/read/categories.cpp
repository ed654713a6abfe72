#include "hyobscure/data/read/categories.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/secret/hierarchy.h"

namespace hyobscure::data {
namespace {

/// The table of similarities has their square; five thousand take 200 MB.
constexpr std::size_t kMostSimilarNames = 5000;

Relation open_table(Engine& engine, const Spec& spec, const std::string& file, const std::string& key) {
  SourceSpec source;
  source.file = file;
  source.format = FileFormat::Csv;
  source.delimiter = lower_case(file).ends_with(".tsv") ? "\t" : ",";  // a guess may cut a name in two
  return open_source(engine, spec, source, key);
}

/// Parents as the rows of the file tell them.
class TreeOfRows {
 public:
  explicit TreeOfRows(const Relation& file) : file_(file) {}

  void add_row(const std::vector<std::string>& path) {
    row_ += 1;
    std::uint32_t child = NamedTree::kNoParent;
    for (const std::string& name : path) {
      const std::uint32_t node = node_of(name);
      if (child != NamedTree::kNoParent) connect(child, node);
      child = node;
    }
  }

  void refuse_gap() {
    row_ += 1;
    refuse("an empty cell is followed by others",
           "Fill it in; a path may end early, and then ends for good.");
  }

  NamedTree take() { return std::move(tree_); }
  const std::map<std::string, std::uint32_t>& numbers() const { return numbers_; }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw InputError({.source = file_.name, .row = row_}, problem, remedy);
  }

  std::uint32_t node_of(const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(tree_.names.size()));
    if (is_new) {
      tree_.names.push_back(name);
      tree_.parents.push_back(NamedTree::kNoParent);
    }
    return found->second;
  }

  void connect(std::uint32_t child, std::uint32_t parent) {
    if (tree_.parents[child] == parent) return;
    if (tree_.parents[child] != NamedTree::kNoParent)
      refuse("something belongs to two different things; an earlier row says otherwise",
             "Let everything belong to one thing; give different things different names.");
    for (std::uint32_t above = parent; above != NamedTree::kNoParent; above = tree_.parents[above])
      if (above == child)
        refuse("something belongs to itself, by way of this and earlier rows",
               "Break the circle; give every level its own names.");
    tree_.parents[child] = parent;
  }

  const Relation& file_;
  std::size_t row_ = 0;
  NamedTree tree_;
  std::map<std::string, std::uint32_t> numbers_;
};

void add_rows(Engine& engine, const Relation& file, TreeOfRows& tree) {
  std::vector<std::string> cells;
  for (const Column& column : file.columns) cells.push_back(quoted_name(column.name));
  engine.query(fmt::format("SELECT {} FROM {}", fmt::join(cells, ", "), file.sql), [&](const Chunk& chunk) {
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      std::vector<std::string> path;
      bool ended = false;
      for (std::size_t column = 0; column < cells.size(); ++column) {
        const bool empty = chunk.is_null(column, row) || chunk.text(column, row).empty();
        if (ended && !empty) tree.refuse_gap();
        if (!empty) path.emplace_back(chunk.text(column, row));
        ended = empty;
      }
      tree.add_row(path);
    }
  });
}

/// The names' own order and hierarchy, out of a tree that may have more.
CategoryOrder order_of_names(const NamedTree& tree, const std::vector<std::uint32_t>& name_of_node,
                             std::uint32_t no_name) {
  CategoryOrder result;
  std::vector<std::uint32_t> leaves;
  const std::vector<HierarchyNode> all = ordered_hierarchy(tree, leaves);
  std::vector<bool> kept;
  for (const std::uint32_t leaf : leaves) {
    kept.push_back(name_of_node[leaf] != no_name);
    if (kept.back()) result.order.push_back(name_of_node[leaf]);
  }
  result.nodes = prune(all, kept);
  return result;
}

void refuse_bad_similarities(Engine& engine, const Relation& file, const std::string& projection) {
  const std::string table = fmt::format("(SELECT {} FROM {})", projection, file.sql);
  const auto check = [&](const std::string& condition, const char* column, const std::string& problem,
                         const std::string& remedy) {
    if (const auto row = first_row(engine, file, projection, condition); row > 0)
      throw InputError({file.name, row, column}, problem, remedy);
  };
  check("a IS NULL OR b IS NULL", "", "a name is missing", "Name both of the pair.");
  check("likeness IS NULL OR NOT (likeness BETWEEN 0 AND 1)", "similarity", "expected a number from 0 to 1",
        "Correct the cell: 1 is the same, 0 nothing in common.");
  check("a = b AND likeness <> 1", "similarity", "something is less alike itself than can be",
        "Write 1, or leave the row out.");
  check(fmt::format("(least(a, b), greatest(a, b)) IN (SELECT (least(a, b), greatest(a, b)) FROM {} GROUP BY "
                    "ALL HAVING min(likeness) <> max(likeness))",
                    table),
        "similarity", "the pair occurs again further down, with another similarity",
        "Keep one of the rows; the order of the two names does not matter.");
}

}  // namespace

CategoryOrder read_hierarchy(Engine& engine, const Spec& spec, const std::vector<std::string>& names,
                             const RefuseCategory& refuse) {
  const Relation file = open_table(engine, spec, spec.secret.hierarchy, "secret.hierarchy");
  TreeOfRows rows(file);
  about(file, [&] { add_rows(engine, file, rows); });
  const auto numbers = rows.numbers();
  const NamedTree tree = rows.take();
  std::vector<bool> has_children(tree.names.size(), false);
  for (const std::uint32_t parent : tree.parents)
    if (parent != NamedTree::kNoParent) has_children[parent] = true;
  const auto no_name = static_cast<std::uint32_t>(names.size());
  std::vector<std::uint32_t> name_of_node(tree.names.size(), no_name);
  for (std::uint32_t name = 0; name < names.size(); ++name) {
    const auto found = numbers.find(names[name]);
    if (found == numbers.end())
      refuse(name, fmt::format("the category is not in {}", file.name), "Add a row for it there.");
    else if (has_children[found->second])
      refuse(name,
             fmt::format("others belong to the category in {}: it is no end of the hierarchy", file.name),
             "Give these people a finer category, or one of its own there, such as \"other\".");
    else
      name_of_node[found->second] = name;
  }
  return order_of_names(tree, name_of_node, no_name);
}

CategoryOrder order_by_list(const Spec& spec, const std::vector<std::string>& names,
                            const RefuseCategory& refuse) {
  const std::vector<std::string>& list = spec.secret.order;
  const NamedTree tree{.names = list,
                       .parents = std::vector<std::uint32_t>(list.size(), NamedTree::kNoParent)};
  const auto no_name = static_cast<std::uint32_t>(names.size());
  std::vector<std::uint32_t> name_of_node(list.size(), no_name);
  for (std::uint32_t name = 0; name < names.size(); ++name) {
    const auto found = std::ranges::find(list, names[name]);
    if (found == list.end())
      refuse(name, "the category is not in secret.order", "Add it there, at its place.");
    name_of_node[static_cast<std::size_t>(found - list.begin())] = name;
  }
  return order_of_names(tree, name_of_node, no_name);
}

CategoryOrder read_similarity(Engine& engine, const Spec& spec, const std::vector<std::string>& names) {
  const Relation file = open_table(engine, spec, spec.secret.similarity, "secret.similarity");
  if (names.size() > kMostSimilarNames)
    throw InputError({.source = file.name},
                     fmt::format("there are {} categories, and similarities serve up to {}", names.size(),
                                 kMostSimilarNames),
                     "Give a hierarchy instead (secret.hierarchy), or join categories in a query.");
  const std::string projection =
      fmt::format("nullif({}, '') AS a, nullif({}, '') AS b, TRY_CAST({} AS DOUBLE) AS likeness",
                  file.column("a"), file.column("b"), file.column("similarity"));
  const std::size_t count = names.size();
  SimilarityTable table{names, std::vector<double>(count * count, 0.0)};
  const auto number = [&](std::string_view name) {
    const auto found = std::ranges::lower_bound(names, name);
    return found != names.end() && *found == name ? static_cast<std::size_t>(found - names.begin()) : count;
  };
  about(file, [&] {
    refuse_bad_similarities(engine, file, projection);
    engine.query(fmt::format("SELECT {} FROM {}", projection, file.sql), [&](const Chunk& chunk) {
      for (std::size_t row = 0; row < chunk.rows(); ++row) {
        const std::size_t a = number(chunk.text(0, row)), b = number(chunk.text(1, row));
        if (a < count && b < count)
          table.similarity[a * count + b] = table.similarity[b * count + a] = chunk.doubles(2)[row];
      }
    });
  });
  const NamedTree tree = average_linkage(std::move(table));
  const auto no_name = static_cast<std::uint32_t>(count);
  std::vector<std::uint32_t> name_of_node(tree.names.size(), no_name);
  for (std::uint32_t name = 0; name < count; ++name) name_of_node[name] = name;
  return order_of_names(tree, name_of_node, no_name);
}

}  // namespace hyobscure::data
