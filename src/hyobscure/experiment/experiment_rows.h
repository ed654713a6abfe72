#pragma once

#include <string>
#include <vector>

#include "hyobscure/audit/mechanism/trade_off.h"
#include "hyobscure/obscure/fit/frontier.h"

namespace hyobscure::experiment {

/// Cells of a row after its key; what was not measured is an empty cell.
using Cells = std::vector<std::string>;

[[nodiscard]] std::string cell(double value);

/// Of secrets that are places the last columns are distances in km, and errors of five guesses.
[[nodiscard]] Cells trade_off_columns(bool of_places);
[[nodiscard]] Cells trade_off_cells(const audit::AuditedPoint& point);

[[nodiscard]] Cells convergence_columns();
/// One row a round.
[[nodiscard]] std::vector<Cells> convergence_cells(const std::vector<obscure::Round>& history);

struct StageSeconds {
  double synthesis = 0, reading = 0, census = 0, method = 0;
  double peak_megabytes = 0;  ///< of the process so far
};
[[nodiscard]] Cells scalability_columns();
[[nodiscard]] Cells scalability_cells(const StageSeconds& seconds, const obscure::FrontierPoint& point);

}  // namespace hyobscure::experiment
