"""CVXPY with Clarabel and SCS on the problems that channel_ipopt wrote: channel_cvxpy.py FOLDER"""

import json
import multiprocessing
import pathlib
import sys
import time

import cvxpy as cp
import numpy as np

SECONDS_ALLOWED = 600
SOLVERS = {
    "Clarabel": dict(solver=cp.CLARABEL),
    "SCS": dict(solver=cp.SCS, eps_abs=1e-7, eps_rel=1e-7, max_iters=1_000_000),
}


def leakage_bits(joint, channel):
    """From the definition: sum of v log(v / (q R))."""
    v = joint.T @ channel
    q = joint.sum(axis=0) / joint.sum()
    independent = np.outer(q, v.sum(axis=0))
    inside = v > 0
    return float(np.sum(v[inside] * np.log2(v[inside] / independent[inside])))


def solve(task, options, answers):
    joint, distance = np.array(task["joint"]), np.array(task["distance"])
    clusters = joint.shape[0]
    share = (joint.sum(axis=0) / joint.sum()).reshape(-1, 1)
    channel = cp.Variable((clusters, clusters), nonneg=True)
    published = joint.T @ channel
    totals = cp.sum(published, axis=0, keepdims=True)
    cost = joint.sum(axis=1, keepdims=True) * distance
    problem = cp.Problem(
        cp.Minimize(cp.sum(cp.rel_entr(published, share @ totals))),
        [cp.sum(channel, axis=1) == 1, cp.sum(cp.multiply(cost, channel)) <= task["budget"]],
    )
    begin, cpu_begin = time.perf_counter(), time.process_time()
    problem.solve(**options)
    seconds, cpu_seconds = time.perf_counter() - begin, time.process_time() - cpu_begin
    found = np.maximum(channel.value, 0)
    found /= found.sum(axis=1, keepdims=True)
    leakage = leakage_bits(joint, found)
    answers.put(
        (
            seconds,
            cpu_seconds,
            leakage,
            leakage - task["lower_bound_bits"],
            max(0.0, float((cost * found).sum()) - task["budget"]),
            problem.status,
        )
    )


def run(name, size, task):
    """In a process of its own, which can be ended."""
    answers = multiprocessing.Queue()
    worker = multiprocessing.Process(target=solve, args=(task, SOLVERS[name], answers))
    worker.start()
    try:
        seconds, cpu_seconds, leakage, gap, overdrawn, status = answers.get(timeout=SECONDS_ALLOWED)
        shown = "none" if overdrawn > 1e-6 else f"{gap:.1e}"  # outside the budget it is no answer
        print(
            f"{name:<9} {size:<7} {seconds:>9.4f} s  {cpu_seconds:>9.4f} CPU s  leakage {leakage:.9f} bits  "
            f"gap {shown:>8} bits  overdrawn {overdrawn:>7.1e}  {status}",
            flush=True,
        )
    except multiprocessing.queues.Empty:
        print(f"{name:<9} {size:<7} no answer within {SECONDS_ALLOWED} s", flush=True)
    worker.kill()
    worker.join()


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("channel_*.json"), key=lambda path: path.stat().st_size)
    for file in files:
        task = json.loads(file.read_text())
        for name in SOLVERS:
            run(name, file.stem.removeprefix("channel_"), task)


if __name__ == "__main__":
    main()
