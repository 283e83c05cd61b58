"""Where an Explain-Query-Test deviates from the published method (arXiv 2501.11721), by name."""

from ..run.conformance import OWN_PROMPTS, Deviation

DEVIATIONS = (
    "sets-of-letters: an answer is the set of letters it chooses, whatever their order (the reference compares lists)",
    "answer-line: the target is told that it may reason before its answer line (the paper says nothing of it); the "
    "last such line that is not taken back counts, if its selection can be read beyond doubt; an answer without one is "
    "wrong and counted as a format failure",
    "acs-range: ACS lies between 1/|A| and 1 (the paper says 0 to 1); a normalised form that reaches 0 is given too",
    "acs-readable: ACS is over the answers whose selection can be read, 'none of them' among these; unreadable ones "
    "and refusals are wrong and stay out of it, and a question without any readable answer has no ACS",
    "silence-is-wrong: a target that replies with nothing, twice, has chosen nothing; one that was cut off, or held "
    "back by a filter, has not been heard and stays unscored",
    "acs-informative: a question with a single readable answer has an ACS of 1 whatever the model does, and stays out "
    "of the averages",
    "well-formed: a question that is malformed twice is dropped and counted (options all right, or given away, are "
    "malformed too); so is a paraphrase that fails its check",
    "question-types: the questions of a concept take ten kinds in turn, in words of our own",
    "number-right: how many options should be right is drawn for each question, from 1 to half of them (6 at most), so "
    "that a usual number is no help",
    "clustered: intervals allow for answers that share a concept; the paper gives none",
    "unscored-apart: what a fault of the infrastructure took counts neither as wrong nor as inconsistent",
    Deviation(
        lambda spec: spec.shuffle_options,
        "shuffled-options: each asking shows the options in an order of its own, and choices are mapped back to "
        "options before they are compared, so that a favourite letter is no consistency",
    ),
    Deviation(
        lambda spec: not spec.shuffle_options,
        "fixed-options: as in the paper, all askings of a question show its options in the written order",
    ),
    Deviation(
        lambda spec: spec.examiner != spec.target,
        "another-examiner: another model explains, asks and paraphrases (in the paper the target does)",
    ),
    Deviation(
        lambda spec: spec.verify_paraphrases,
        "verified-paraphrases: another call says of each paraphrase whether it still is the same question",
    ),
    Deviation(
        lambda spec: spec.open_book,
        "open-book: the original questions are asked once more with the explanation at hand, as a ceiling",
    ),
    Deviation(lambda spec: spec.attribute > 0, "attribution: a judge says of a sample of wrong answers what failed"),
    OWN_PROMPTS,
)
