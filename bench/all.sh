#!/usr/bin/env bash
# Runs every benchmark of a build folder: ./run bench, or bench/all.sh build [a part of the name]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build}" && pwd)
only=${2:-}
peers=$build/python-peers/bin/python  # other people's programs; `./run bench` installs them

for kernel in attack channel distance exact kmeans person; do
  [[ $kernel == *"$only"* ]] || continue
  echo "== micro: $kernel"
  "$build/bench/${kernel}_bench" --benchmark_counters_tabular=true
done
if [[ peers == *"$only"* && -x $build/bench/channel_ipopt && -x $peers ]]; then
  echo "== peers: the same channel problems by other solvers, up to 10 minutes a solve"
  "$build/bench/channel_ipopt" "$build/peers"
  "$peers" "$here/peers/channel_cvxpy.py" "$build/peers"
fi
if [[ whole_run == *"$only"* ]]; then
  echo "== scale: whole runs"
  /usr/bin/python3 "$here/scale/whole_run.py" "$build/hyobscure"
fi
if [[ scale == *"$only"* ]]; then
  echo "== scale: growth with people, next to the engine alone"
  python3 "$here/scale/scale.py" "$build/hyobscure"
fi
if [[ spark == *"$only"* && -x $build/python-env/bin/python ]]; then  # `./run python` makes it
  echo "== scale: a Spark cluster on this machine, one executor and two"
  "$build/python-env/bin/python" "$here/scale/spark.py" "$build/hyobscure"
fi
if [[ fine == *"$only"* ]]; then
  echo "== scale: the default method, person by person"
  python3 "$here/scale/fine.py" "$build/hyobscure"
fi
if [[ borders == *"$only"* ]]; then
  echo "== scale: what the borders of wards cost"
  python3 "$here/scale/borders.py" "$build/hyobscure"
fi
if [[ costs == *"$only"* ]]; then
  echo "== scale: what inspect says that commands take"
  python3 "$here/scale/costs.py" "$build/hyobscure"
fi
if [[ person_cvxpy == *"$only"* && -x $peers ]]; then
  echo "== peers: person by person"
  "$build/bench/person_problem" "$build/person_problem.json"
  "$peers" "$here/peers/person_cvxpy.py" "$build/person_problem.json"
fi
if [[ forest_sklearn == *"$only"* && -x $build/bench/attack_models && -x $peers ]]; then
  echo "== peers: forests"
  "$peers" "$here/peers/forest_sklearn.py" "$build/bench/attack_models"
fi
if [[ attackers_sklearn == *"$only"* && -x $peers ]]; then
  echo "== peers: trained attackers on a release that leaks"
  "$peers" "$here/peers/attackers_sklearn.py" "$build/hyobscure"
fi
if [[ peers_tables == *"$only"* && -x $peers ]]; then
  echo "== peers: what a publisher would use instead, up to 10 minutes a command"
  "$peers" "$here/peers/peers.py" "$build/hyobscure"
fi
