"""The part of Europe PMC's query language that a search needs: fields, phrases, ranges, AND, OR, NOT and brackets."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\s*(?:(?P<bracket>[()])|(?P<operator>AND|OR|NOT)(?![\w:])|(?:(?P<field>[A-Z_]+):)?"
    r'(?:"(?P<phrase>[^"]*)"|\[(?P<start>\S+) TO (?P<end>[^\]\s]+)\]|(?P<word>[^\s()"\[\]:]+)))'
)


class BadQuery(Exception):
    """The query is malformed, or asks for what the simulated service lacks."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition of a query. `field` is "" for any field; `end` is given for a range only."""

    field: str
    value: str
    end: str | None = None


Expression = Callable[[Callable[[Clause], bool]], bool]
"""A query as a condition over the truth of its clauses."""


def parse(query: str) -> tuple[Expression, list[Clause]]:
    """The query as a condition, and its clauses. Words side by side are joined by AND, operators taken from left to
    right. Raises BadQuery."""
    left, clauses = _tokens(query.rstrip()), list[Clause]()

    def terms(depth: int) -> Expression:
        whole = term(depth)
        while left and left[0]["bracket"] != ")":
            operator = left.pop(0)["operator"] if left[0]["operator"] in ("AND", "OR") else "AND"
            whole = _joined(whole, term(depth), operator)
        return whole

    def term(depth: int) -> Expression:
        if not left or depth > 50:
            raise BadQuery("The query ends where a term should be.")
        token = left.pop(0)
        if token["operator"] == "NOT":
            inner = term(depth + 1)
            return lambda test: not inner(test)
        if token["bracket"] == "(":
            inner = terms(depth + 1)
            if not left:
                raise BadQuery("The query lacks a closing bracket.")
            left.pop(0)
            return inner
        if token["operator"] or token["bracket"]:
            raise BadQuery(f"The query has {token[0].strip()!r} where a term should be.")
        clause = Clause(token["field"] or "", token["phrase"] or token["word"] or token["start"] or "", token["end"])
        clauses.append(clause)
        return lambda test: test(clause)

    expression = terms(0)
    if left:
        raise BadQuery("The query has a bracket too many.")
    return expression, clauses


def _tokens(query: str) -> list[re.Match[str]]:
    found, at = list[re.Match[str]](), 0
    while at < len(query):
        token = _TOKEN.match(query, at)
        if not token or token.end() == at:
            raise BadQuery(f"The query cannot be read from {query[at : at + 20]!r} on.")
        found.append(token)
        at = token.end()
    return found


def _joined(one: Expression, other: Expression, operator: str) -> Expression:
    if operator == "OR":
        return lambda test: one(test) or other(test)
    return lambda test: one(test) and other(test)
