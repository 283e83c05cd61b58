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


USUAL: Mapping[str, Usual] = {
    # drill
    "aspects": Usual(60, Spread(250, 450, 4000), 8, 20, 120),
    "question": Usual(500, Spread(90, 150, 1000), 5, 330, 73),
    "answer": Usual(30, Spread(50, 90, 1200), 4, 14, 48),
    "check": Usual(300, Spread(50, 60, 550), 3, 200, 51),
    "same": Usual(50, Spread(5, 6, 400), 2, 40, 4),
    "verdict": Usual(200, Spread(35, 45, 700), 3, 92, 20),
    "concepts": Usual(150, Spread(90, 140, 900), 4, 102, 70),
    "titles": Usual(80, Spread(10, 40, 600), 3, 60, 20),
    "look_up": Usual(0, Spread(0, 0, 0), 1, 0, 0),
    # Explain-Query-Test
    "explanation": Usual(20, Spread(450, 750, 2800), 12, 12, 350),
    "choice_question": Usual(820, Spread(200, 310, 2000), 8, 400, 231),
    "paraphrase": Usual(100, Spread(30, 45, 600), 3, 41, 25),
    "same_question": Usual(100, Spread(13, 20, 530), 2.5, 25, 15),
    "choice": Usual(70, Spread(5, 160, 1600), 5, 4, 6),
    "open_book": Usual(840, Spread(5, 160, 1400), 5, 355, 8),
    "selection": Usual(250, Spread(20, 40, 700), 3, 60, 20),
    "attribution": Usual(900, Spread(20, 40, 800), 3, 375, 22),
    # DepthQA
    "depth_answer": Usual(10, Spread(125, 430, 2400), 9, 2, 43),
    "depth_with_context": Usual(40, Spread(125, 430, 2400), 9, 7, 45),
    "rating": Usual(25, Spread(35, 65, 830), 3.5, 8, 17),
    "classification": Usual(15, Spread(25, 40, 790), 3, 11, 17),
    "reference_answer": Usual(25, Spread(120, 300, 2200), 8, 12, 54),
    "deconstruction": Usual(130, Spread(70, 400, 3300), 10, 90, 153),
    "open_question": Usual(110, Spread(18, 26, 750), 2.5, 44, 18),
    "augmentation": Usual(250, Spread(55, 120, 2300), 5, 160, 49),
    "relation": Usual(460, Spread(32, 80, 1180), 5, 210, 40),
    # problems and what is made of them
    "prompt_draft": Usual(500, Spread(300, 560, 3300), 15, 500, 51),
    "prompt_redraft": Usual(1200, Spread(300, 560, 3300), 15, 600, 90),
    "prompt_score": Usual(1050, Spread(70, 180, 2900), 8, 580, 29),
    "scenario": Usual(550, Spread(85, 160, 2400), 9, 124, 105),
    "scenario_check": Usual(140, Spread(20, 40, 1600), 4, 112, 22),
    "distractors": Usual(140, Spread(38, 60, 2100), 6, 108, 43),
    "independent_solution": Usual(140, Spread(75, 150, 2950), 8, 63, 53),
    "solution": Usual(60, Spread(60, 275, 3500), 9, 48, 56),
    "instruction": Usual(550, Spread(96, 220, 1900), 7, 165, 210),
    "instruction_check": Usual(210, Spread(20, 40, 1100), 3.5, 215, 25),
    "created_question": Usual(210, Spread(30, 90, 2800), 7, 200, 67),
    "instruction_met": Usual(300, Spread(15, 30, 1090), 4, 280, 14),
    "comparison": Usual(300, Spread(45, 90, 1470), 4.5, 236, 46),
}
