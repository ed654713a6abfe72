#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

/// What is known before anybody looks.
struct GuessRequest {
  std::filesystem::path folder = ".";  ///< of the spec, at which names of files start
  std::string people;
  std::string events = {};  ///< empty: wide data
  bool in_memory = false;   ///< people and events are names of tables of the engine's, not of files
  std::string secret = {};  ///< empty: guessed
};

struct ColumnLeftOut {
  std::string name, because;
};

/// A spec made from files alone, but for limits and budget, which need the people to be read by it.
struct Guess {
  Spec spec;
  std::map<std::string, std::string> reasons;  ///< why, by the full name of a key
  std::vector<ColumnLeftOut> left_out;         ///< columns of people that are not published
  std::vector<std::string> secrets;            ///< what else nobody may infer, the likeliest first
};

/// A column that could be the secret.
struct SecretCandidate {
  std::string name;
  std::string holds;  ///< such as "whole numbers, 61 different"
};

/// Which column is the secret: given those that could be, the likeliest first, the name of one of them.
using ChooseSecret = std::function<std::string(const std::vector<SecretCandidate>& columns)>;

/// Roles and kinds by names, types, and what occurs how often; no cell is ever quoted but the names of ranges
/// that a secret may be (secret.order). `choose` is asked where the request names no secret; without it the
/// likeliest is taken. Throws InputError, which lists the columns, where a role cannot be filled.
[[nodiscard]] Guess guess_spec(Engine& engine, const GuessRequest& request, const ChooseSecret& choose = {});

}  // namespace hyobscure::data
