"""What calls are taken to be like where no past run tells: one line per prompt. Pure.

The figures of real models are reckoned from the prompts (what they ask for, at most and at least)
and from a few runs; the high ends allow for models that think unseen before they write. The wide
ranges say how little that is.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .spread import Spread


class Usual(NamedTuple):
    """Calls with one prompt."""

    read: float
    """Tokens of what a real model is sent beyond the prompt's own text and what is known of it
    beforehand."""
    said: Spread
    """Tokens of a real model's reply."""
    seconds: float
    """Of a real model's reply; it may take three times as long, or a third."""
    simulated_read: float
    simulated_said: float
    """Tokens of the simulated world's requests and replies."""


TABLE = """
aspects                  60   250  450 4000    8    20  120
question                500    90  150 1000    5   330   73
answer                   30    50   90 1200    4    14   48
check                   300    50   60  550    3   200   51
same                     50     5    6  400    2    40    4
verdict                 200    35   45  700    3    92   20
concepts                150    90  140  900    4   102   70
source_answer           600    20   60  800    4   330   30
titles                   80    10   40  600    3    60   20
confidence              200    6    8  600    2    90    5
error                   200   35   45  700    3    90   25
restatement              60   30   45  600    3    40   30
look_up                   0     0    0    0    1     0    0
explanation              20   450  750 2800   12    12  350
choice_question         820   200  310 2000    8   400  231
paraphrase              100    30   45  600    3    41   25
same_question           100    13   20  530  2.5    25   15
choice                   70     5  160 1600    5     4    6
open_book               840     5  160 1400    5   355    8
selection               250    20   40  700    3    60   20
attribution             900    20   40  800    3   375   22
depth_answer             10   125  430 2400    9     2   43
depth_with_context       40   125  430 2400    9     7   45
rating                   25    35   65  830  3.5     8   17
classification           15    25   40  790    3    11   17
reference_answer         25   120  300 2200    8    12   54
deconstruction          130    70  400 3300   10    90  153
open_question           110    18   26  750  2.5    44   18
augmentation            250    55  120 2300    5   160   49
relation                460    32   80 1180    5   210   40
prompt_draft            500   300  560 3300   15   500   51
prompt_redraft         1200   300  560 3300   15   600   90
prompt_score           1050    70  180 2900    8   580   29
scenario                550    85  160 2400    9   124  105
scenario_check          140    20   40 1600    4   112   22
distractors             140    38   60 2100    6   108   43
independent_solution    140    75  150 2950    8    63   53
solution                 60    60  275 3500    9    48   56
instruction             550    96  220 1900    7   165  210
instruction_check       210    20   40 1100  3.5   215   25
created_question        210    30   90 2800    7   200   67
instruction_met         300    15   30 1090    4   280   14
comparison              300    45   90 1470  4.5   236   46
"""
"""Prompt; read; said: low, usual, high; seconds; simulated: read, said."""


def _usual(read: float, low: float, mid: float, high: float, *others: float) -> Usual:
    return Usual(read, Spread(low, mid, high), *others)


USUAL: Mapping[str, Usual] = {
    name: _usual(*map(float, cells))
    for name, *cells in map(str.split, TABLE.strip().splitlines())
}
"""By prompt."""
