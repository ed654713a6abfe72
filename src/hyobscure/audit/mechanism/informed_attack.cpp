#include "hyobscure/audit/mechanism/informed_attack.h"

#include <memory>
#include <unordered_map>

namespace hyobscure::audit {
namespace {

constexpr double kMostEntries = 5e7;  // 16 bytes each while a table is made: 0.8 GB

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
  double entries = 0;
  for (std::uint32_t u = 0; u < people.size(); ++u) entries += static_cast<double>(signals.most(u));
  return entries <= kMostEntries;
}

std::vector<audit::SignalTable> signal_tables(const obscure::Signals& signals, const data::People& people) {
  std::vector<audit::SignalTable> tables;
  const double share = 1 / static_cast<double>(people.size());
  for (const auto& members : signals.strata().members) {
    if (members.empty()) continue;
    std::unordered_map<std::uint32_t, int> row_of_signal;
    std::vector<Eigen::Triplet<double>> shares;
    for (const std::uint32_t u : members)
      for (const obscure::Signal& signal : signals.of(u)) {
        const auto row =
            row_of_signal.emplace(signal.id, static_cast<int>(row_of_signal.size())).first->second;
        shares.emplace_back(row, static_cast<int>(people.secrets[u]), share * signal.probability);
      }
    audit::SignalTable table;
    table.joint.resize(static_cast<Eigen::Index>(row_of_signal.size()),
                       static_cast<Eigen::Index>(people.values.size()));
    table.joint.setFromTriplets(shares.begin(), shares.end());
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
