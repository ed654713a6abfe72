#pragma once

#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/release/draw.h"
#include "kernels.h"

namespace hyobscure::python {

/// A mechanism that is about to draw.
class Draws {
 public:
  explicit Draws(const std::string& text) : mechanism_(obscure::parse_mechanism(text, "mechanism")) {
    if (mechanism_.composing)
      throw InputError({.source = "mechanism"}, "composes rows, which Spark does not do yet",
                       "Publish on one machine, or fit again with release.rows = \"donor\".");
    if (std::ranges::all_of(mechanism_.channels, obscure::draws_by_cluster)) draws_.emplace(mechanism_);
  }
  Draws(const Draws&) = delete;  // its draws know where it is
  Draws& operator=(const Draws&) = delete;

  const obscure::Mechanism& mechanism() const { return mechanism_; }
  Model model() const { return {mechanism_.clusters}; }

  /// Who must be known to draw for a person: "cells" the person alone, "lists" their list, "rows" everybody.
  const char* by() const {
    if (draws_) return "cells";
    const bool lists = std::ranges::all_of(mechanism_.channels, [](const obscure::Channel& channel) {
      return std::holds_alternative<obscure::PersonDraw>(channel.draw);
    });
    return lists ? "lists" : "rows";
  }

  nb::dict draw(const InputTexts& ids, const InputArray<std::uint32_t>& y,
                const InputArray<std::uint32_t>& cluster) const {
    const Texts texts(ids);
    const std::size_t people = texts.size();
    if (y.size() != people || cluster.size() != people) refuse_batch("arrays have unlike lengths");
    const auto clusters = static_cast<std::int32_t>(mechanism_.clusters.clusters());
    std::vector<std::int32_t> group(people), own_cell(people), donor_cell(people);
    std::vector<std::uint64_t> hash1(people), hash2(people);
    std::vector<std::int64_t> place(people);
    std::vector<std::uint8_t> retained(people);
    for (std::size_t u = 0; u < people; ++u) {
      const auto drawn = draws_->draw(texts[u], y.data()[u], cluster.data()[u]);
      group[u] = static_cast<std::int32_t>(drawn.group);
      const auto own = drawn.others ? 0 : static_cast<std::int32_t>(cluster.data()[u]);
      own_cell[u] = group[u] * clusters + own;
      donor_cell[u] = group[u] * clusters + static_cast<std::int32_t>(drawn.cluster);
      hash1[u] = drawn.order.first;
      hash2[u] = drawn.order.second;
      place[u] = static_cast<std::int64_t>(drawn.place);
      retained[u] = drawn.retained;
    }
    nb::dict result;
    result["group"] = owned_array(std::move(group));
    result["own_cell"] = owned_array(std::move(own_cell));
    result["hash1"] = owned_array(std::move(hash1));
    result["hash2"] = owned_array(std::move(hash2));
    result["donor_cell"] = owned_array(std::move(donor_cell));
    result["place"] = owned_array(std::move(place));
    result["retained"] = owned_array(std::move(retained));
    return result;
  }

  std::string key() const { return mechanism_.key.text(); }

  OwnedArray<std::int64_t> cell_people() const {
    const auto clusters = static_cast<std::size_t>(mechanism_.clusters.clusters());
    std::vector<std::int64_t> people(mechanism_.groups.size() * clusters, 0);
    for (std::size_t g = 0; g < mechanism_.channels.size(); ++g) {
      if (draws_->draws_others(g)) {
        people[g * clusters] = mechanism_.channels[g].people;
        continue;
      }
      const obscure::CellDraw& cells = *mechanism_.channels[g].cells();
      for (std::size_t i = 0; i < cells.clusters.size(); ++i)
        people[g * clusters + static_cast<std::size_t>(cells.clusters[i])] = cells.people[i];
    }
    return owned_array(std::move(people));
  }

  bool draw_others() const {
    for (std::size_t g = 0; g < mechanism_.channels.size(); ++g)
      if (draws_->draws_others(g)) return true;
    return false;
  }

  /// Of each secret, what the groups cover of it.
  std::vector<std::vector<std::string>> part_labels() const {
    std::vector<std::vector<std::string>> labels(mechanism_.groups.front().covers.size());
    for (const published::Group& group : mechanism_.groups)
      for (std::size_t axis = 0; axis < labels.size(); ++axis)
        labels[axis].push_back(group.covers[axis].label);
    return labels;
  }

  std::vector<std::string> labels() const {
    std::vector<std::string> labels;
    for (const published::Group& group : mechanism_.groups) labels.push_back(group.label);
    return labels;
  }

 private:
  obscure::Mechanism mechanism_;
  std::optional<release::PersonalDraws> draws_;  ///< by cells
};

}  // namespace hyobscure::python
