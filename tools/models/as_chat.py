"""A model in whatever form a host hands it over."""

from langchain_core.language_models import BaseChatModel

from ...state.errors import UsageError
from .chat import Chat
from .clients import Clients
from .langchain import LangChainChat

Model = str | BaseChatModel | Chat


def as_chat(model: Model, clients: Clients | None = None) -> Chat:
    """A model in whatever form a host has it: a provider string (through `clients`), a LangChain
    model, a Chat.

    Raises UsageError for anything else, or for a string without clients.
    """
    if isinstance(model, str):
        if clients is None:
            raise UsageError(
                f"The model {model!r} is named by a string: give the clients to reach it "
                "with, or what `clients.get` returns."
            )
        return clients.get(model)
    if isinstance(model, BaseChatModel):
        return LangChainChat(model)
    if isinstance(model, Chat):
        return model
    raise UsageError(
        f"A {type(model).__name__} is no model: give a provider string, a LangChain chat "
        "model or a Chat."
    )
