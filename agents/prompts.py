"""All prompts by name, as the drill uses them; each stands beside the agent that reads its reply."""

from .explainer import ASPECTS, CONCEPTS
from .judge import VERDICT
from .prober import ANSWER
from .prompting import Prompt
from .questioner import CHECK, QUESTION

PROMPTS: dict[str, Prompt] = {prompt.name: prompt for prompt in (ASPECTS, QUESTION, CHECK, ANSWER, VERDICT, CONCEPTS)}
