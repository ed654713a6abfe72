"""What a mechanism of few people does, computed from its file and the people by the definitions, without the program.

For long data with a secret that is a number; with or without one kept column.
"""

import base64
import collections
import csv
import json
import math


class People:
    """In the order of their ids."""

    def __init__(self, folder):
        with open(folder / "people.csv", newline="") as file:
            rows = sorted(csv.DictReader(file), key=lambda row: row["id"])
        self.secrets = [int(row["age"]) for row in rows]
        self.kept = [row.get("team", "") for row in rows]
        with open(folder / "events.csv", newline="") as file:
            events = list(csv.DictReader(file))
        column = {item: at for at, item in enumerate(sorted({event["item"] for event in events}))}
        place = {row["id"]: at for at, row in enumerate(rows)}
        self.rows = [[0.0] * len(column) for _ in rows]
        for event in events:
            self.rows[place[event["person"]]][column[event["item"]]] = float(event["rating"])


def jensen_shannon(p, q):
    p, q = ([x / sum(row) for x in row] for row in (p, q))
    half = lambda a, b: sum(x * math.log(2 * x / (x + y)) for x, y in zip(a, b) if x > 0)  # noqa: E731
    return (half(p, q) + half(q, p)) / 2


def packed_rows(text):
    """docs/formats.md, "Packed rows"."""
    numbers, number, shift = [], 0, 0
    for byte in base64.b64decode(text):
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    stream = iter(numbers)
    for entries in stream:
        donor, row = -1, {}
        for _ in range(entries):
            donor += next(stream) + 1
            row[donor] = next(stream) / 2**32
        yield row


def cluster_of(row, clusters):
    """The nearest centre, by squared Euclidean distance."""
    if clusters["normalise"]:
        row = [x / sum(row) for x in row]

    def squared(centre):
        dense = dict(map(tuple, centre))
        return sum((x - dense.get(column, 0)) ** 2 for column, x in enumerate(row))

    return min(range(len(clusters["centres"])), key=lambda c: squared(clusters["centres"][c]))


def drawn_rows(channel, pool, mechanism, people):
    """For each person of a pool: the probability of each donor, by place in the pool."""
    if channel["draw"] == "people":
        rows = list(packed_rows(channel["rows"]))
    elif channel["draw"] == "others":
        rows = [{v: 1 / (len(pool) - 1) for v in range(len(pool)) if v != u} for u in range(len(pool))]
    else:
        assert channel["draw"] == "cells", channel["draw"]
        cell = [channel["clusters"].index(cluster_of(people.rows[u], mechanism["clusters"])) for u in pool]
        of_cell = collections.Counter(cell)
        rows = []
        for u in range(len(pool)):
            to = dict(map(tuple, channel["rows"][cell[u]]))
            rows.append({v: to[cell[v]] / of_cell[cell[v]] for v in range(len(pool)) if to.get(cell[v])})
    retain = channel["retain"]
    for u, row in enumerate(rows):
        for v in row:
            row[v] *= 1 - retain
        if retain:
            row[u] = row.get(u, 0) + retain
    return rows


def pools_of(mechanism, people):
    """Those who share group and kept cells, in the order of both."""
    values = sorted(set(people.secrets))
    group_of = {values[member]: g for g, group in enumerate(mechanism["groups"]) for member in group["members"]}
    pools = collections.defaultdict(list)
    for u, secret in enumerate(people.secrets):
        pools[group_of[secret], people.kept[u]].append(u)
    return [pool for _, pool in sorted(pools.items())]


def figures(mechanism, people):
    """Those of `promise` that anyone can compute."""
    count = len(people.secrets)
    share = {secret: n / count for secret, n in collections.Counter(people.secrets).items()}
    leaked = groups = own = distance = 0
    lifts, of_population = [], []
    for channel, pool in zip(mechanism["channels"], pools_of(mechanism, people), strict=True):
        weight = collections.defaultdict(float)  # of a donor published for people of a secret
        for u, row in enumerate(drawn_rows(channel, pool, mechanism, people)):
            own += row.get(u, 0) / count
            for v, probability in row.items():
                weight[v, people.secrets[pool[u]]] += probability / count
                if v != u:
                    distance += probability * jensen_shannon(people.rows[pool[u]], people.rows[pool[v]]) / count
        of_donor = collections.Counter()
        for (v, _), w in weight.items():
            of_donor[v] += w
        leaked += sum(w * math.log2(w / (of_donor[v] * share[y])) for (v, y), w in weight.items() if w > 0)
        of_pool = collections.Counter(people.secrets[u] for u in pool)
        for v, of_all in of_donor.items():
            for y, n in of_pool.items():
                lifts.append(weight[v, y] / of_all / (n / len(pool)))
                of_population.append(weight[v, y] / of_all / share[y])
        groups += sum(n / count * math.log2(n / len(pool) / share[y]) for y, n in of_pool.items())
    return {
        "leakage_bits": leaked,
        "leakage_groups_bits": groups,
        "leakage_features_bits": leaked - groups,
        "secret_entropy_bits": -sum(p * math.log2(p) for p in share.values()),
        "max_lift": max(lifts),
        "min_lift": min(lifts),
        "max_lift_of_population": max(of_population),
        "own_rows": own,
        "distance": distance,
    }


def draw_of(method):
    kinds = {"fine": "people", "dp": "near", "simp": "near", "frapp": "others", "random": "others"}
    cells = ["hyobscure", "exact", "xobf", "ygen", "privcheck"]
    return "cells" if method in cells else kinds.get(method)


def holds(cover, secret):
    low, high = cover["low"], cover["high"]
    return (low is None or low <= secret) and (
        high is None or secret < high or (cover["high_included"] and secret == high)
    )


def lies(text, people, original):
    """Sentences about what a mechanism says untruly of itself; none where it is true. `original`: the text as fit wrote it."""
    mechanism, first = json.loads(text), json.loads(original)
    found = figures(mechanism, people)
    said = mechanism["promise"]
    wrong = [name for name, value in found.items() if said[name] is None or abs(said[name] - value) > 1e-5]
    values = sorted(set(people.secrets))
    for g, group in enumerate(mechanism["groups"]):
        secrets = [values[member] for member in group["members"]]
        held = [secret for secret in people.secrets if secret in secrets]
        if group["people"] != len(held) or group["values"] != len(secrets):
            wrong.append(f"the size of group {g}")
        if not all(holds(group["covers"][0], secret) for secret in secrets):
            wrong.append(f"the cover of group {g}")
        if any(holds(group["covers"][0], secret) for secret in values if secret not in secrets):
            wrong.append(f"the cover of group {g}: it holds secrets of others")
        for name, number in (("people", len(held)), ("values", len(secrets))):
            low, high = mechanism["limits"][name]
            if not low <= number <= high:
                wrong.append(f"the limits on {name} of group {g}")
    if [group["label"] for group in mechanism["groups"]] != [group["label"] for group in first["groups"]]:
        wrong.append("the labels of the groups")
    if any(people.kept):
        pools = pools_of(mechanism, people)
        if mechanism.get("smallest_pool") != min(map(len, pools)):
            wrong.append("the smallest pool")
        if mechanism["limits"].get("for") == "pools":
            secrets = [{people.secrets[u] for u in pool} for pool in pools]
            least = min(map(len, pools)), min(map(len, secrets))
            if least[0] < mechanism["limits"]["people"][0] or least[1] < mechanism["limits"]["values"][0]:
                wrong.append("the limits of pools")
    if any(channel["draw"] != draw_of(mechanism["method"]) for channel in mechanism["channels"]):
        wrong.append("the method")  # those that draw alike cannot be told apart
    for name in ("distance", "data_fingerprint"):
        if mechanism[name] != first[name]:
            wrong.append(name)
    return wrong
