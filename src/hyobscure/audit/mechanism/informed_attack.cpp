#include "hyobscure/audit/mechanism/informed_attack.h"

#include <map>
#include <memory>
#include <unordered_map>

namespace hyobscure::audit {
namespace {

constexpr double kMostCells = 5e7;  // 0.4 GB

using Column = std::vector<std::pair<Eigen::Index, double>>;  // place in the pool, O(signal | that person)

/// The channel of a stratum by signal.
std::unordered_map<std::uint32_t, Column> columns_of(const obscure::Signals& signals,
                                                     std::span<const std::uint32_t> members) {
  std::unordered_map<std::uint32_t, Column> columns;
  for (std::size_t place = 0; place < members.size(); ++place)
    for (const obscure::Signal& signal : signals.of(members[place]))
      columns[signal.id].emplace_back(static_cast<Eigen::Index>(place), signal.probability);
  return columns;
}

}  // namespace

bool can_be_tabulated(const obscure::Signals& signals, const data::People& people) {
  double entries = 0, cells = 0;
  for (std::uint32_t u = 0; u < people.size(); ++u) entries += static_cast<double>(signals.most(u));
  for (const auto& members : signals.strata().members)
    cells += static_cast<double>(members.size()) * static_cast<double>(people.values.size());
  return entries <= kMostCells && cells <= kMostCells;
}

std::vector<audit::SignalTable> signal_tables(const obscure::Signals& signals, const data::People& people) {
  std::vector<audit::SignalTable> tables;
  const double share = 1 / static_cast<double>(people.size());
  for (const auto& members : signals.strata().members) {
    if (members.empty()) continue;
    std::map<std::uint32_t, Eigen::Index> row_of_signal;
    std::vector<std::vector<obscure::Signal>> rows;
    for (const std::uint32_t u : members) {
      rows.push_back(signals.of(u));
      for (const obscure::Signal& signal : rows.back())
        row_of_signal.emplace(signal.id, static_cast<Eigen::Index>(row_of_signal.size()));
    }
    audit::SignalTable table{Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(row_of_signal.size()),
                                                   static_cast<Eigen::Index>(people.values.size()))};
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const obscure::Signal& signal : rows[i])
        table.joint(row_of_signal[signal.id], people.secrets[members[i]]) += share * signal.probability;
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<audit::ReleasedPool> released_pools(const obscure::Signals& signals) {
  std::vector<audit::ReleasedPool> pools;
  for (const auto& members : signals.strata().members) {
    if (members.empty()) continue;
    auto columns = std::make_shared<std::unordered_map<std::uint32_t, Column>>(columns_of(signals, members));
    pools.push_back({.people = members,
                     .column = [&signals, columns, first = members.front(),
                                size = static_cast<Eigen::Index>(members.size())](std::uint32_t donor) {
                       Eigen::VectorXd chances = Eigen::VectorXd::Zero(size);
                       const auto found = columns->find(signals.shown_by(first, donor));
                       if (found != columns->end())
                         for (const auto& [place, chance] : found->second) chances[place] = chance;
                       return chances;
                     }});
  }
  return pools;
}

}  // namespace hyobscure::audit
