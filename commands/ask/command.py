"""`fathom ask`: its table."""

from dataclasses import replace

import typer

from ...state.option import OUTPUT, Option
from ...state.spec import AskSpec, DrillSpec
from ..declare import Given, options_of
from ..method import EXIT_CODES, KEYS, MethodCommand
from ..options.shared import FORCE, PLOTS, columns_option

EPILOG = f"""Examples:
  fathom ask examples/own_questions.csv -t sim:expert -e sim:evaluator
  fathom ask mine.csv -t ollama:llama3 -t openai:gpt-5 -e openai:gpt-5
  fathom ask mine.csv -t openai:gpt-5 -e openai:gpt-5 --facts folder:guidelines
  fathom drill Cardiology --topics mine.csv -t openai:gpt-5 -e openai:gpt-5

QUESTIONS:
  rows in CSV, JSON, JSON lines or Parquet with question and, if there are any,
  answer (else reference), passage, topic, level (a tier, such as TEXTBOOK)
  and source (else url)

Missing answers:
  are looked for in the sources: --answered FILE writes what was found for you
  to check, --accept-answers asks with it at once.

{KEYS}
{EXIT_CODES}"""
FACTS = next(option for option in options_of(DrillSpec) if option.key == "facts")


class Ask(MethodCommand):
    """What the file lacks is looked up before any target is asked."""

    def launch(self, values: Given) -> None:
        from .request import launch

        raise typer.Exit(launch(self, values))


ASK = Ask(
    "ask",
    AskSpec,
    ".ask.request:ask",
    """Put your own questions to models, judge the answers, and say which references to look at.

Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).""",
    own=(
        Option(
            "",
            "QUESTIONS",
            "File of questions (up to 32 MB).",
            name="questions",
            kind="file",
            required=True,
        ),
        columns_option("question=Frage,answer=Antwort"),
        Option(
            "--name",
            "NAME",
            "What they are about.",
            default="the file's name",
            study="domain",
        ),
        replace(
            FACTS,
            help="Where missing answers and passages are looked for, as in a drill: wikipedia, "
            "folder:PATH, tavily …",
            default="of missing answers as in a drill; passages are not looked for",
            study="-",
        ),
        Option(
            "--accept-answers",
            "",
            "Look missing answers up, and ask with what is found.",
            study="-",
        ),
        Option(
            "--answered",
            "FILE",
            "Look missing answers up, and write the questions there (CSV); no target is asked.",
            OUTPUT,
            kind="file",
            excludes=("accept_answers",),
            study="-",
        ),
        FORCE,
        PLOTS,
    ),
    prompts="answer, verdict, check, same, concepts, source_answer",
    epilog=EPILOG,
)
