"""What a host's checkpointer reads its checkpoints with."""

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer


def safe_serializer() -> JsonPlusSerializer:
    """For a checkpoint that somebody else may have written: plain data comes back, and the few
    types that LangGraph knows to be harmless. Its default imports and calls whatever a checkpoint
    names."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)
