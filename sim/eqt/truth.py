"""What is true of a simulated model's multi-select answers: the figures that a measurement has to find again.

The model (`choices`). A question has W options and one right set, R. There are W wrong sets: R with option i taken out
or put in, i = 1 … W. *Settling* a question gives R with probability a, the accuracy, and each wrong set with
w = (1 − a)/W. Every question has one settled base set. Each of its n askings, whose texts all differ, independently
keeps to the base set with probability 1 − u, and is settled anew with u, the instability.

Accuracy. An asking shows either the base set or a newly settled one; both are R with probability a, so that its
expected share is a whatever u is.

Consistency. With |U| the number of different sets among the n askings, ACS = 1 − (|U| − 1)/n, and E|U| = Σ over sets s
of P(s appears). Given the base set b, each asking shows s with probability p(s|b) = (1 − u)·[s = b] + u·q(s), where
q(R) = a and q(wrong) = w, and the askings are independent, so that P(s appears | b) = 1 − (1 − p(s|b))ⁿ. The cases:

- b = R, probability a: R appears with 1 − (u(1 − a))ⁿ, each of the W wrong sets with 1 − (1 − uw)ⁿ;
- b wrong, probability 1 − a: b appears with 1 − (u(1 − w))ⁿ, R with 1 − (1 − ua)ⁿ, each of the W − 1 other wrong
  sets with 1 − (1 − uw)ⁿ.

Nothing here allows for faults of the infrastructure, which take answers away, nor the figures of consistency for
`unreadable` and `favourite`, whose sets depend on what is right and on the order shown.
"""

from collections.abc import Iterable

from ...state.tiers import Tier
from ..personas import Persona
from .choices import FORESIGHT, known_question


def true_accuracy(persona: Persona, tier: Tier = Tier.COMMON, *, alone: float = 0.0) -> float:
    """Expected share of exactly right closed-book answers, (1 − v)·((1 − f)·a + f·alone) with v = `unreadable` and
    f = `favourite`; for a named persona to questions of one tier.

    `alone`: chance that the first option shown is the only right one: the share of questions with one right option over
    the number of options, where options are shuffled. It matters for personas with a favourite letter only.
    """
    luck = persona.favourite * alone
    return (1.0 - persona.unreadable) * ((1.0 - persona.favourite) * persona.chance(tier) + luck)


def question_accuracy(persona: Persona, options: Iterable[str]) -> float:
    """The same for the question with these options, shuffled. Raises ValueError for a question from elsewhere."""
    right, tier, count = _known(options)
    return true_accuracy(persona, tier, alone=1.0 / count if right == 1 else 0.0)


def true_open_book(persona: Persona, tier: Tier = Tier.COMMON) -> float:
    """Expected share of exactly right answers with the explanation at hand: 1 − (1 − a)/5."""
    return 1.0 - (1.0 - persona.chance(tier)) / FORESIGHT


def question_open_book(persona: Persona, options: Iterable[str]) -> float:
    """The same for the question with these options. Raises ValueError for a question from elsewhere."""
    return true_open_book(persona, _known(options)[1])


def _known(options: Iterable[str]) -> tuple[int, Tier, int]:
    """How many options are right, the question's tier, and how many options there are."""
    known = known_question(frozenset(options))
    if known.right is None or known.tier is None:
        raise ValueError("The simulated world does not know what is right in this question.")
    return len(known.right), known.tier, len(known.options)


def true_different(accuracy: float, instability: float, askings: int, options: int) -> float:
    """E|U|, the expected number of different answer sets among n askings (≥ 1) of a question with W options."""
    a, u, n, wrong = accuracy, instability, askings, (1.0 - accuracy) / options
    other = _appears(u * wrong, n)
    base_right = _appears(1.0 - u + u * a, n) + options * other
    base_wrong = _appears(1.0 - u + u * wrong, n) + _appears(u * a, n) + (options - 1) * other
    return a * base_right + (1.0 - a) * base_wrong


def true_acs(accuracy: float, instability: float, askings: int, options: int) -> float:
    """Expected ACS = 1 − (E|U| − 1)/n of a question with `options` options that was asked n = k + 1 times."""
    return 1.0 - (true_different(accuracy, instability, askings, options) - 1.0) / askings


def true_acs_normalised(accuracy: float, instability: float, askings: int, options: int) -> float:
    """Expected (n − |U|)/(n − 1); n ≥ 2."""
    return (askings - true_different(accuracy, instability, askings, options)) / (askings - 1)


def _appears(share: float, askings: int) -> float:
    """Chance that what each asking shows with this chance appears at least once."""
    return 1.0 - (1.0 - share) ** askings
