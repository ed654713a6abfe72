#include "hyobscure/learn/xgboost_model.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <cassert>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace hyobscure::learn {
namespace {

// Nothing here depends on the caller's input being right: a refusal is no InputError.
void require_done(int status) {
  if (status != 0) throw std::runtime_error(fmt::format("XGBoost: {}", XGBGetLastError()));
}

// How XGBoost is told of an array: numpy's __array_interface__.
template <class Number>
std::string array_interface(const std::vector<Number>& values, const char* type) {
  return fmt::format(R"({{"data":[{},true],"shape":[{}],"typestr":"{}","version":3}})",
                     reinterpret_cast<std::uintptr_t>(values.data()), values.size(), type);
}

/// As a float, which ends at 3.4e38: what is larger is told by its logarithm. Rising without a step up to the
/// largest double, so that trees, which only compare, see the same order.
float tree_value(double value) {
  constexpr double kPlain = 1e37, kDigits = 37, kOfDigit = 1e36;
  const double size = std::abs(value);
  if (size <= kPlain) return static_cast<float>(value);
  return static_cast<float>(std::copysign(kPlain + (std::log10(size) - kDigits) * kOfDigit, value));
}

std::vector<std::uint32_t> all_of(const data::SparseRows& rows) {
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace

BoostData::BoostData(const data::SparseRows& rows, std::span<const float> prior)
    : BoostData(rows, all_of(rows), prior) {}

BoostData::BoostData(const data::SparseRows& rows, std::span<const std::uint32_t> chosen,
                     std::span<const float> prior)
    : size_(chosen.size()) {
  make(rows, chosen, [&](std::uint32_t) { return prior; });
}

BoostData::BoostData(const data::SparseRows& rows, const PosteriorMatrix& prior_of_row)
    : BoostData(rows, all_of(rows), prior_of_row) {}

BoostData::BoostData(const data::SparseRows& rows, std::span<const std::uint32_t> chosen,
                     const PosteriorMatrix& prior_of_row)
    : size_(chosen.size()) {
  assert(prior_of_row.rows() == static_cast<Eigen::Index>(rows.size()));
  make(rows, chosen, [&](std::uint32_t row) {
    return std::span<const float>(prior_of_row.row(row).data(),
                                  static_cast<std::size_t>(prior_of_row.cols()));
  });
}

template <class PriorOf>
void BoostData::make(const data::SparseRows& rows, std::span<const std::uint32_t> chosen,
                     const PriorOf& prior_of) {
  std::vector<std::uint64_t> starts = {0};
  std::vector<std::uint32_t> items;
  std::vector<float> values, margins;
  for (const std::uint32_t row : chosen) {
    items.insert(items.end(), rows[row].items.begin(), rows[row].items.end());
    for (const double value : rows[row].values) values.push_back(tree_value(value));
    starts.push_back(items.size());
    const std::span<const float> prior = prior_of(row);
    margins.insert(margins.end(), prior.begin(), prior.end());
  }
  require_done(XGDMatrixCreateFromCSR(
      array_interface(starts, "<u8").c_str(), array_interface(items, "<u4").c_str(),
      array_interface(values, "<f4").c_str(), rows.columns, R"({"missing":NaN,"nthread":1})", &handle_));
  require_done(XGDMatrixSetFloatInfo(handle_, "base_margin", margins.data(), margins.size()));
}

BoostData::~BoostData() { XGDMatrixFree(handle_); }

void BoostData::set_labels(std::span<const std::uint32_t> class_of_row) {
  set_labels(std::vector<float>(class_of_row.begin(), class_of_row.end()));
}

void BoostData::set_labels(std::span<const float> number_of_row) {
  assert(number_of_row.size() == size_);
  require_done(XGDMatrixSetFloatInfo(handle_, "label", number_of_row.data(), number_of_row.size()));
}

BoostModel::BoostModel(const Settings& settings, const BoostData& training, const BoostData* watched)
    : training_(training), classes_(settings.classes) {
  const DMatrixHandle cached[] = {training.handle(), watched != nullptr ? watched->handle() : nullptr};
  require_done(XGBoosterCreate(cached, watched != nullptr ? 2 : 1, &handle_));
  const auto set = [&](const char* name, const std::string& value) {
    require_done(XGBoosterSetParam(handle_, name, value.c_str()));
  };
  set("verbosity", "0");
  set("nthread", "1");
  set("seed", "0");
  if (settings.objective == BoostObjective::Classes) {
    set("objective", "multi:softprob");
    set("num_class", fmt::format("{}", settings.classes));
  } else {
    assert(settings.classes == 1);
    set("objective", settings.objective == BoostObjective::Median ? "reg:absoluteerror" : "reg:squarederror");
    set("base_score", "0");  // every row has its own
  }
  set("tree_method", "hist");
  set("max_depth", fmt::format("{}", settings.depth));
  set("eta", fmt::format("{}", settings.rate));
  set("min_child_weight", fmt::format("{}", settings.least_weight_of_leaf));
  set("colsample_bytree", fmt::format("{}", settings.columns));
  set("colsample_bynode", fmt::format("{}", settings.columns_of_split));
}

BoostModel::~BoostModel() { XGBoosterFree(handle_); }

void BoostModel::add_round() { require_done(XGBoosterUpdateOneIter(handle_, rounds_++, training_.handle())); }

PosteriorMatrix BoostModel::predict(const BoostData& data, std::optional<int> rounds) const {
  return predict(data, rounds, false);
}

PosteriorMatrix BoostModel::predict_margins(const BoostData& data, std::optional<int> rounds) const {
  return predict(data, rounds, true);
}

PosteriorMatrix BoostModel::predict(const BoostData& data, std::optional<int> rounds, bool margins) const {
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  const std::string wanted = fmt::format(
      R"({{"type":{},"training":false,"iteration_begin":0,"iteration_end":{},"strict_shape":true}})",
      margins ? 1 : 0, rounds.value_or(0));  // 0: all
  require_done(
      XGBoosterPredictFromDMatrix(handle_, data.handle(), wanted.c_str(), &shape, &dimensions, &result));
  assert(dimensions == 2 && shape[0] == data.size() && shape[1] == classes_);
  return Eigen::Map<const PosteriorMatrix>(result, static_cast<Eigen::Index>(data.size()),
                                           static_cast<Eigen::Index>(classes_));
}

}  // namespace hyobscure::learn
