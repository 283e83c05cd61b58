"""`fathom drill` and `fathom demo`: their tables."""

from ...state.option import ADVANCED, Option
from ...state.spec import DrillSpec
from ..declare import Command, Given, options_of
from ..method import EXIT_CODES, MethodCommand
from ..options.shared import DISPLAY, PLOTS, RUNS, TOPICS, UNTIL_DECIDED, paper_option

EPILOG = f"""Examples:
  fathom drill "Chemical elements" -t sim:student -e sim:evaluator
  fathom drill Cardiology -t ollama:llama3 -t openai:gpt-5 -e openai:gpt-5

Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models
  TAVILY_API_KEY: web search, which the tiers above TEXTBOOK need

Settings of one model, behind its name in quotes (every role takes them):
  key=VARIABLE name=LABEL header="Name: value" system=@FILE
  -t 'openai@https://host/v1:rag key=RAG_API_KEY name=rag'
  An address of your own is sent no key unless key= names one.

{EXIT_CODES}"""


class Drill(MethodCommand):
    """Domains that may be one without its quotes are refused."""

    def launch(self, values: Given) -> None:
        from .request import require_meant

        require_meant(values)
        MethodCommand.launch(self, values)


DRILL = Drill(
    "drill",
    DrillSpec,
    ".drill.request:ask",
    """Drill into one or more domains with one or more models, and report how deep their knowledge goes.

Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).""",
    own=(
        Option(
            "",
            "DOMAIN",
            "Fields to drill into, in quotes.",
            name="domains",
            type=list[str],
            required=True,
        ),
        TOPICS,
        paper_option("a concept without evidence counts as a wrong answer"),
        UNTIL_DECIDED,
        PLOTS,
        Option(
            "--yes",
            "",
            "Several domains of one word each are meant separately.",
            ADVANCED,
            study="-",
        ),
    ),
    prompts=(
        "aspects, question, check, same, answer, verdict, confidence, error, concepts, titles"
    ),
    epilog=EPILOG,
)


def _demo(values: Given) -> None:
    nothing = dict.fromkeys(option.key for option in DRILL.options)
    of_the_demo = {
        "domains": ["Chemical elements"],
        "target": ["sim:student"],
        "evaluator": "sim:evaluator",
        "sim": ["latency=0.25", "jitter=0.35"],
        "no_cache": True,  # a demo that is served from a cache shows nothing
    }
    DRILL.launch({**nothing, **of_the_demo, **values})


DEMO = Command(
    _demo,
    "Drill a simulated student on the chemical elements: 30 probes per depth, no set-up, no cost.",
    (DISPLAY, RUNS, *(option for option in options_of(DrillSpec) if option.key == "seed")),
)
