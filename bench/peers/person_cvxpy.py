"""CVXPY with Clarabel on the group of people that person_problem wrote: person_cvxpy.py FILE

Needs a virtual environment with cvxpy, for example in the build folder:
/usr/bin/python3 -m venv build/python-peers && build/python-peers/bin/pip install -r bench/peers.txt
"""

import json
import sys
import time

import cvxpy as cp
import numpy as np


def value_bits(channel, members, distance, multiplier):
    """Leakage and priced distance, a person, from the definition: sum of v log(v / (q R))."""
    people = len(distance)
    v = members.T @ channel / people
    independent = np.outer(members.mean(axis=0), v.sum(axis=0))
    inside = v > 0
    leakage = np.sum(v[inside] * np.log(v[inside] / independent[inside]))
    return float(leakage + multiplier * np.sum(channel * distance) / people) / np.log(2)


def solve(task, balanced):
    distance, multiplier = np.array(task["distance"]), task["multiplier"]
    members = np.eye(task["value_count"])[task["values"]]
    members = members[:, members.sum(axis=0) > 0]
    people = len(distance)
    channel = cp.Variable((people, people), nonneg=True)
    published = members.T @ channel / people
    share = members.mean(axis=0).reshape(-1, 1)
    leakage = cp.sum(cp.rel_entr(published, share @ cp.sum(published, axis=0, keepdims=True)))
    constraints = [cp.sum(channel, axis=1) == 1]
    if balanced:
        constraints.append(cp.sum(channel, axis=0) == 1)
    problem = cp.Problem(
        cp.Minimize(leakage + multiplier / people * cp.sum(cp.multiply(distance, channel))), constraints
    )
    begin, cpu_begin = time.perf_counter(), time.process_time()
    problem.solve(solver=cp.CLARABEL)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu_begin
    found = np.maximum(channel.value, 0)
    found /= found.sum(axis=1, keepdims=True)
    columns = np.abs(found.sum(axis=0) - 1).max() if balanced else 0.0
    return seconds, cpu, value_bits(found, members, distance, multiplier), columns


def main():
    with open(sys.argv[1]) as file:
        task = json.load(file)
    for name in ("free", "balanced"):
        seconds, cpu, value, columns = solve(task, name == "balanced")
        ours = task[name]
        print(
            f"Clarabel   {name:<8} {seconds:>10.4f} s  value {value:.9f} bits  gap {value - ours['lower_bound_bits']:>9.2e} bits"
            f"  columns off by {columns:.1e}, {cpu:.4f} CPU s: {cpu / ours['cpu_seconds']:.0f} times ours",
            flush=True,
        )


if __name__ == "__main__":
    main()
