#include "hyobscure/obscure/methods/privcheck.h"

namespace hyobscure::obscure {
namespace {

MethodResult run_ygen(const MethodInput& input, const Progress& progress) {
  progress.report("solving the channel", 0, 0);
  const PrivCheck privcheck(input);
  const Eigen::MatrixXd channel = privcheck.channel_within(input.first_groups);
  solve::Partition partition = input.first_groups;
  if (!input.groups_are_fixed) {
    progress.report("moving boundaries", 0, 0);
    solve::PartitionChannels channels;  // the same for all groups, whatever clusters they have
    channels.channels.assign(static_cast<std::size_t>(partition.groups()), channel);
    channels.clusters.assign(static_cast<std::size_t>(partition.groups()), privcheck.everybody().clusters);
    RandomStream random(input.key.derive("boundaries"));
    partition = move_boundaries(input, partition, channels, random).partition;
  }
  return cell_result(input, partition, privcheck.restricted(channel, partition));
}

}  // namespace

Method ygen_method() {
  return {.name = "ygen",
          .help = "PrivCheck's channel, and groups searched for it",
          .run = run_ygen,
          .sweep = run_each<run_ygen>};
}

}  // namespace hyobscure::obscure
