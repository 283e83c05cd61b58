"""What `fathom eqt` is to run, checked."""

from ...state.spec import EqtSpec
from ...tools.files.concepts import from_words, limited, read_concepts
from ..request import CommandInput, PlannedRuns
from ..show_options import shown_beside


def ask(words: CommandInput) -> PlannedRuns:
    """A test of each target. Raises UsageError with the first fault."""
    file = words["concepts"]
    concepts = read_concepts(file) if file else from_words(words["words"])
    if words["limit"] is not None:
        concepts = limited(concepts, words["limit"])
    specs: list[EqtSpec] = words.specs(
        words.targets, concepts=concepts, shuffle_options=not words["as_in_paper"]
    )
    return PlannedRuns(specs, [], shown_with=shown_beside(words.values, specs=specs))
