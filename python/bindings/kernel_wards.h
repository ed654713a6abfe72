#pragma once

// Parts of `fine` on machines of a cluster, and what travels between these and the driver.

#include <string>
#include <vector>

#include "hyobscure/learn/learned_secret.h"
#include "hyobscure/solve/person/person_channel.h"
#include "kernels.h"

namespace hyobscure::python {

/// A ward without its distances.
struct WardPeople {
  solve::PersonPool pool;
};

/// Who publishes whose features in a ward.
struct WardChannel {
  solve::SparseChannel channel;
};

/// What a model says of the people of one pool.
struct LearnedPool {
  learn::LearnedSecret learned;
};

/// How wards are solved.
struct WardTerms {
  solve::PersonTerms terms;
  solve::PersonSettings settings;
};

/// Wards that were solved as one problem.
struct SolvedWards {
  solve::PersonResult result;
};

void bind_ward_kernels(nb::module_& module);

}  // namespace hyobscure::python
