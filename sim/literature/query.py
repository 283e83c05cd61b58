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
    """One condition. `field` is "" for any field; `end` is given for a range only."""

    field: str
    value: str
    end: str | None = None


Test = Callable[[Clause], bool]
Expression = Callable[[Test], bool]


def parse(query: str) -> tuple[Expression, list[Clause]]:
    """The query as a condition over the truth of its clauses, and the clauses. Words side by side are joined by AND,
    operators taken from left to right. Raises BadQuery."""
    parser = _Parser(query)
    expression = parser.any_of(0)
    if parser.left():
        raise BadQuery("The query has a bracket too many.")
    return expression, parser.clauses


class _Parser:
    def __init__(self, query: str) -> None:
        self.clauses: list[Clause] = []
        self._tokens: list[re.Match[str]] = []
        at, query = 0, query.rstrip()
        while at < len(query):
            found = _TOKEN.match(query, at)
            if not found or found.end() == at:
                raise BadQuery(f"The query cannot be read from {query[at : at + 20]!r} on.")
            self._tokens.append(found)
            at = found.end()

    def left(self) -> bool:
        return bool(self._tokens)

    def any_of(self, depth: int) -> Expression:
        """Terms up to the closing bracket, or to the end."""
        whole = self._term(depth)
        while self._tokens and self._tokens[0]["bracket"] != ")":
            whole = self._joined(whole, depth)
        return whole

    def _joined(self, left: Expression, depth: int) -> Expression:
        operator = self._tokens[0]["operator"]
        if operator in ("AND", "OR"):
            self._tokens.pop(0)
        right = self._term(depth)
        if operator == "OR":
            return lambda test: left(test) or right(test)
        return lambda test: left(test) and right(test)

    def _term(self, depth: int) -> Expression:
        if not self._tokens or depth > 50:
            raise BadQuery("The query ends where a term should be.")
        token = self._tokens.pop(0)
        if token["operator"] == "NOT":
            inner = self._term(depth + 1)
            return lambda test: not inner(test)
        if token["bracket"] == "(":
            inner = self.any_of(depth + 1)
            if not self._tokens:
                raise BadQuery("The query lacks a closing bracket.")
            self._tokens.pop(0)
            return inner
        if token["operator"] or token["bracket"]:
            raise BadQuery(f"The query has {token[0].strip()!r} where a term should be.")
        clause = Clause(token["field"] or "", token["phrase"] or token["word"] or token["start"] or "", token["end"])
        self.clauses.append(clause)
        return lambda test: test(clause)
