"""Rich display in notebooks: small tables that follow the notebook's own style."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable

text = escape


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(_cell(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(cell: Any) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _interval(estimate: dict | None) -> str:
    if estimate is None:
        return "-"
    if estimate["low"] is None:
        return _cell(estimate["mean"])
    return f"{estimate['mean']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}]"


def mechanism(model: Any) -> str:
    facts = model.facts_
    groups = table(
        ("group", "people", "values"), ((group["label"], group["people"], group["values"]) for group in model.groups_)
    )
    entropy = facts["secret_entropy_bits"]
    figures = [
        ("method", facts["method"]),
        ("leakage", f"{facts['leakage_bits']:.4f} of {entropy:.4f} bits"),
        ("by the groups", f"{facts['leakage_groups_bits']:.4f} bits"),
        ("by the features", f"{facts['leakage_features_bits']:.4f} bits"),
        (
            "expected distance",
            (
                f"{facts['distance']:.4f} of the budget {facts['budget']:.4f}"
                if facts["budget"] is not None
                else _cell(facts["distance"])
            ),
        ),
        ("proven gap", "-" if model.gap_ is None else f"{model.gap_:.1e} bits"),
    ]
    return f"<div><b>HyObscure</b> for {facts['people']} people{groups}{table(('', ''), figures)}</div>"


def frontier(found: Any) -> str:
    columns = ("budget", "distance", "leakage_bits", "leakage_groups_bits", "leakage_features_bits")
    return table(
        [column.replace("_", " ") for column in columns],
        ([point[column] for column in columns] for point in found.points),
    )


def inspection(found: Any) -> str:
    columns = table(
        ("column", "role", "distinct", "leaks (bits)", "by chance (bits)", "not published because"),
        (
            (
                column["name"],
                column["role"],
                column["distinct"],
                column["leakage_bits"],
                column["leakage_null_bits"],
                column["identifies"] or "",
            )
            for column in found.columns
        ),
    )
    arguments = "".join(f"{name}={value!r}, " for name, value in found.recommended.items())
    recommended = f"<p>Recommended: <code>HyObscure({escape(arguments[:-2])})</code></p>" if arguments else ""
    leaks = found.facts["unprotected"]["leakage_bits"]
    entropy = found.facts["secret_entropy_bits"]
    figures = f"<p>Unprotected features leak {leaks:.4f} of {entropy:.4f} bits.</p>"
    return f"<div><b>{found.facts['people']} people</b>{columns}{figures}{recommended}</div>"


def comparison(found: Any) -> str:
    budgets = found.facts["budgets"]
    rows = ((name, *(_at(curve.points, budget) for budget in budgets)) for name, curve in found.frontiers.items())
    return (
        f"<div><b>Leakage (bits) by budget</b>{table(('method', *(f'{budget:.4g}' for budget in budgets)), rows)}</div>"
    )


def _at(points: Any, budget: float) -> Any:
    """None where the method cannot reach the budget."""
    return next((point["leakage_bits"] for point in points if point["budget"] == budget), None)


def verification(found: Any) -> str:
    verdict = "passed" if found.passed else "FAILED"
    rows = (
        ("ok" if check.passed else "warning" if check.warning else "FAILED", check.name, check.detail)
        for check in found.checks
    )
    return f"<div><b>Verification {verdict}</b>{table(('', 'check', 'detail'), rows)}</div>"


def release(found: Any) -> str:
    groups = table(
        ("group", "people"),
        ((group["label"], group["people"]) for group in found.manifest["groups"]),
    )
    files = table(
        ("file", "rows", "sha256"),
        ((file["name"], file["rows"], file["sha256"][:16]) for file in found.manifest["files"]),
    )
    ids = " pseudonymous: published under the original ids." if found.manifest["ids"] == "keep" else ""
    stated = f"<p>States a leakage of at most {found.manifest['leakage_bits']} bits, rounded up.{ids}</p>"
    return f"<div><b>Release</b>{stated}{groups}{files}</div>"


def evidence(found: Any) -> str:
    rows = ((one["source"], one["question"], one["state"], one["answer"]) for one in found.questions)
    return f"<div><b>{escape(found.headline)}</b>{table(('document', 'question', 'state', 'answer'), rows)}</div>"


def audit(found: Any) -> str:
    attacks = table(
        (
            "attacker",
            "scenario",
            "error on the release",
            "on true features",
            "group alone",
            "nothing known",
            "gain over the group",
        ),
        (
            (
                attack["attacker"],
                attack["scenario"],
                _interval(attack["published"]),
                attack["unobscured"]["mean"],
                attack["group_only"]["mean"],
                attack["nothing"]["mean"],
                _interval(attack["advantage"]),
            )
            for attack in found.attacks
        ),
    )
    known = table(
        ("known entries", "own row found", "rest of the row true", "random row of the group"),
        (
            (entries["known"], *(_interval(entries[key]) for key in ("own_row", "rest_true", "rest_true_random")))
            for entries in found.known_entries["of"]
        )
        if found.known_entries
        else (),
    )
    uses = table(
        ("use", "measure", "with the release", "with true features", "loss"),
        (
            (
                use["name"],
                use["measure"],
                _interval(use["published"]),
                use["unobscured"]["mean"],
                _interval(use["loss"]),
            )
            for use in found.utilities
            if "published" in use
        ),
    )
    return f"<div><b>Audit</b>: {escape(found.facts['error'])}, {found.facts['repetitions']} repetitions{attacks}{known}{uses}</div>"
