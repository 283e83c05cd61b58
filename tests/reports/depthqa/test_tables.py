"""The tables of a DepthQA run."""

from fathom.graphs.depthqa.page import VIEW
from fathom.reports.page.blocks import Table, value_of
from fathom.reports.page.view import PageOptions

from ...support.reports import changed, result_of


def test_what_is_refused_is_told_by_depth() -> None:
    run = result_of("depthqa")
    refused = tuple(changed(answer, refused=True, score=1) for answer in run.answers)
    tables = [
        block
        for block in VIEW.blocks(changed(run, answers=refused), PageOptions())
        if isinstance(block, Table) and any(each.key == "index" for each in block.columns)
    ]
    (table,) = tables
    shares = [value_of(row, "hallucination_rate") for row in table.rows]
    assert [value_of(row, "part") for row in table.rows] == ["1", "2", "3", "all"]
    assert [share.split()[0] for share in shares] == ["0%"] * 4
