"""`fathom eqt`: its table."""

from ...state.option import Option
from ...state.spec import EqtSpec
from ..method import EXIT_CODES, KEYS, MethodCommand
from ..options.shared import BENCHMARK, PLOTS, limit_option, paper_option

EPILOG = f"""Examples:
  fathom eqt Entropy "Nash equilibrium" -t sim:student
  fathom eqt --concepts law.txt -t ollama:llama3 -t openai:gpt-5 --open-book
  fathom eqt --concepts mmlu.json -t openai:gpt-5 --benchmark scores.csv
  fathom plan eqt --concepts mmlu.json --limit 28 -t openai:gpt-5
  fathom eqt Entropy -t sim:accuracy=0.7,instability=0.2

Files:
  concepts: one per line, under a line [category] if there are categories;
    or JSON, {{"category": ["concept", …]}} or a list
  benchmark: CSV with the columns model, category, score
  - reads either of them from stdin

Simulated models with known true values, at no cost:
  sim:accuracy=0.7,instability=0.2 answers as its settings say; settings can
    also follow a persona: sim:student,instability=0.3

{KEYS}
{EXIT_CODES}"""


EQT = MethodCommand(
    "eqt",
    EqtSpec,
    ".eqt.request:ask",
    """Explain-Query-Test: a model explains concepts, then answers questions about its own explanations.

Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).""",
    own=(
        Option(
            "",
            "CONCEPT",
            "Concepts to test, each in quotes; or give --concepts FILE.",
            name="words",
            type=list[str],
            study="concepts",
            instead="concepts",
        ),
        Option(
            "--concepts",
            "FILE",
            "Concepts from a text file, from JSON, or from stdin (-).",
            kind="file",
            study="concepts_file",
            excludes=("words",),
        ),
        paper_option("the options of a question keep one order"),
        limit_option("Test at most N concepts, taken from the categories in turn."),
        BENCHMARK,
        PLOTS,
    ),
    prompts="explanation, choice_question, paraphrase, same_question, choice, selection, open_book, "
    "attribution",
    epilog=EPILOG,
)
