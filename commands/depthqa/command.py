"""`fathom depthqa`: build a graph of questions at three depths, and ask it."""

from ...state.option import OUTPUT, Option
from ...state.spec import DepthQABuildSpec, DepthQASpec
from ..help import Group
from ..method import EXIT_CODES, KEYS, MethodCommand
from ..options.shared import FORCE, PLOTS, columns_option, limit_option, paper_option

BUILD_EPILOG = f"""Examples:
  fathom depthqa build examples/depthqa_elements.csv -e sim:evaluator \\
    -o graph.json
  fathom depthqa build questions.txt -e openai:gpt-5 --classify --check
  fathom plan depthqa build questions.txt -e openai:gpt-5

QUESTIONS:
  text with one question per line, or CSV, JSON, JSON lines or Parquet with
  question and, if there are any, id, reference (else answer), key_points and
  domain; - reads stdin

{KEYS}
{EXIT_CODES}"""
ASK_EPILOG = f"""Examples:
  fathom depthqa ask graph.json -t sim:student --judge sim:evaluator
  fathom depthqa ask last -t ollama:llama3 -t openai:gpt-5 \\
    --judge openai:gpt-5 --mode zero-shot,multi-turn --plots plots
  fathom depthqa ask published/ --answers theirs.json --judge openai:gpt-5
  fathom plan depthqa ask graph.json -t openai:gpt-5 --judge openai:gpt-5

GRAPH:
  what build wrote; a run of build, by its folder, its id or last; a folder
  with the published tables (questions, nodes, node_to_q); or rows in CSV,
  JSON, JSON lines or Parquet with id, depth, question, reference and
  predecessors; - reads stdin

Simulated models with known true values, at no cost:
  sim:d1=0.9,d2=0.8,d3=0.7,slips=0.1 knows as its settings say; settings can
    also follow a persona: sim:student,d3=0.2
  d1: chance of knowing a fact; d2, d3: chance of working out a question once
    all it rests on is known; slips: share of wrong answers to questions asked
    alone (depths 1 and 2) where the model knows the answer when it needs it;
    with_context: gain from quoted answers; the default is 0, and then the
    modes do not differ

Limits:
  under --max-calls or --budget a tree of questions starts only if its worst
  case fits (for the price, part of it)

Files:
  answers: rows with id (or question) and predicted_answer (else response,
    prediction, answer); or a JSON object of id and text; GRAPH may be left out
    where rows also name depth, question and reference
  --columns is about the answers' file where there is one, else about GRAPH

{KEYS}
{EXIT_CODES}"""
BUILD = MethodCommand(
    "depthqa build",
    DepthQABuildSpec,
    ".depthqa.request:build",
    (
        "Build a graph: deconstruct questions of depth 3 (strategic) into depth 2 (procedural) "
        "and 1 (factual)."
    ),
    own=(
        Option(
            "",
            "QUESTIONS",
            "File of questions of depth 3 (up to 32 MB), or - for stdin.",
            name="questions",
            kind="file",
            required=True,
        ),
        Option(
            "--name",
            "NAME",
            "Name of the graph.",
            default="the file's",
        ),
        columns_option("question=Frage,reference=Antwort"),
        limit_option("At most N questions, taken from the domains in turn."),
        Option(
            "--output -o",
            "FILE",
            "Graph to write, as in graph.json.",
            OUTPUT,
            kind="file",
            default="in the run",
        ),
        FORCE,
    ),
    prompts="classification, reference_answer, deconstruction, open_question, augmentation, relation",
    epilog=BUILD_EPILOG,
)
ASK = MethodCommand(
    "depthqa ask",
    DepthQASpec,
    ".depthqa.request:ask",
    """Put the questions of a graph to models and have the judge rate the answers; or rate existing answers.

Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).""",
    own=(
        Option(
            "",
            "GRAPH",
            "Graph to ask about (up to 32 MB); or give --answers FILE.",
            name="graph",
            kind="material",
            instead="answers",
        ),
        Option(
            "--answers",
            "FILE",
            "Score existing answers (up to 32 MB; - for stdin): only the judge is called.",
            kind="file",
        ),
        columns_option("id=Nummer,response=Antwort"),
        paper_option("the judge rates at temperature 1 and top_p 0.9"),
        limit_option("At most N trees of the graph, taken from the domains in turn."),
        PLOTS,
    ),
    prompts="depth_answer, depth_with_context, rating",
    epilog=ASK_EPILOG,
)
DEPTHQA = Group(
    (
        "DepthQA: does a model that answers a deep question also know the shallower ones it rests "
        "on, and vice versa?"
    ),
    {"build": BUILD, "ask": ASK},
)
