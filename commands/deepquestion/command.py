"""`fathom deepquestion`: its table."""

from ...state.option import Option
from ...state.spec import DeepQuestionSpec
from ..method import KEYS, MethodCommand
from ..options.shared import FORCE, PLOTS, TEXTS, columns_option, limit_option

EPILOG = f"""Examples:
  fathom deepquestion examples/deepquestion_chemistry.jsonl -t sim:student \\
    --generator sim:generator -e sim:evaluator
  fathom deepquestion gsm8k.jsonl -t ollama:llama3 -t openai:gpt-5 \\
    -e openai:gpt-5 --limit 50 --distractors none,some,many -o texts.jsonl
  fathom deepquestion --from texts.jsonl -t ollama:mistral -e openai:gpt-5
  fathom plan deepquestion gsm8k.jsonl -t openai:gpt-5 -e openai:gpt-5

BENCHMARK:
  JSON lines, JSON, CSV or Parquet with question, answer and, if there are
  any, id, options, solution, passage and domain; columns as in GSM8K, MATH,
  MMLU, MMLU-Pro, GPQA, MedQA, MedMCQA, ARC, CommonsenseQA, HellaSwag, SciQ and
  TruthfulQA are known, others are named: --columns question=frage,options=a+b+c
  The final answer may stand behind #### (GSM8K) or in \\boxed{{…}} (MATH); of
  multiple choice it is a letter, the option's text, or its place counted from
  0; - reads stdin

Files:
  texts (-o, --from): JSON lines with the problems and what was written
    from them and has passed every check, to put the same to other models;
  fathom show RUN -o FILE writes them later

Simulated models with known true values, at no cost:
  sim:solve=0.9,mislead=0.1,create=0.6 behaves as its settings say; settings
    can also follow a persona: sim:student,create=0.2
  solve: chance of solving a problem; mislead: chance, per distractor, of
    using its number; unsteady: share of problems where each wording is drawn
    separately; create: chance that a question it writes is valid
  The default is sim:generator,mends=2,spoils=0
  mends: criteria (of 6) more that each new draft of a prompt meets; spoils:
    share of scenarios and instructions that it spoils whatever it says
  They know the problems in examples/deepquestion_chemistry.jsonl and similar
    ones; any other they decline, and nothing written from it passes
  sim:evaluator,leans=0.3 as judge prefers the first question in that share
    of cases

{KEYS}
Exit codes:
  0 complete, 1 failed or incomplete (including a prompt that did not
  reach the threshold), 2 refused before any call, 3 stopped by its budget,
  130 interrupted
"""


WRITING = ("generator", "threshold", "rounds", "single_pass", "use_best", "sample", "language")
DEEPQUESTION = MethodCommand(
    "deepquestion",
    DeepQuestionSpec,
    ".deepquestion.request:ask",
    """DeepQuestion: a model solves problems, solves them inside scenarios, and writes questions.

Models are named PROVIDER:MODEL (openai:gpt-5-mini, ollama:llama3, openai@https://host/v1:model, sim:student).""",
    own=(
        Option(
            "",
            "BENCHMARK",
            "File of problems with definite answers (up to 32 MB); or give --from FILE.",
            name="benchmark",
            kind="file",
            instead="from",
        ),
        Option(
            "--from",
            "FILE",
            "Texts written by --output: nothing is rewritten or rechecked.",
            kind="file",
            excludes=("benchmark", "output", *WRITING, "columns"),
        ),
        limit_option("At most N problems, drawn at random by seed."),
        columns_option("question=Frage,answer=Zahl"),
        TEXTS,
        FORCE,
        PLOTS,
    ),
    prompts="prompt_draft, prompt_redraft, prompt_score, scenario, distractors, scenario_check, instruction,"
    " instruction_check, solution, independent_solution, created_question, instruction_met, "
    "comparison, verdict",
    epilog=EPILOG,
)
