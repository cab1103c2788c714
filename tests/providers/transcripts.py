"""The transcripts of tests/providers/fixtures, and what reading them gives."""

from pathlib import Path

from engine.providers.anthropic import Anthropic
from engine.providers.azure import Azure
from engine.providers.dialect import BadReply, ModelReply
from engine.providers.ollama import Ollama
from engine.providers.openai_chat import OpenAIChat
from engine.providers.openai_responses import OpenAIResponses
from engine.providers.vllm import Vllm
from engine.providers.writing import JsonApi

FIXTURES = Path(__file__).with_name("fixtures")

DIALECTS: dict[str, JsonApi] = {
    "openai_chat": OpenAIChat(model="gpt-5-mini"),
    "openai_responses": OpenAIResponses(model="gpt-5-mini"),
    "anthropic": Anthropic(model="claude-sonnet-4-5"),
    "ollama": Ollama(model="llama3.2"),
    "azure": Azure(model="my-deployment", url="https://res.openai.azure.com/openai/v1"),
    "vllm": Vllm(model="Qwen/Qwen3-8B"),
}

Outcome = ModelReply | tuple[str, str, object]
"""A reply, or why there is none: its category, its message, its usage."""


def names(*endings: str) -> list[str]:
    """`dialect/name.ending` of every transcript with one of these endings."""
    paths = sorted(path for path in FIXTURES.rglob("*") if path.suffix in endings)
    assert paths
    return [path.relative_to(FIXTURES).as_posix() for path in paths]


def load(name: str) -> tuple[JsonApi, bytes]:
    """The dialect of a transcript, and its bytes."""
    return DIALECTS[name.partition("/")[0]], (FIXTURES / name).read_bytes()


def whole(dialect: JsonApi, body: bytes) -> Outcome:
    """Read a reply that is no stream."""
    try:
        return dialect.read(body)
    except BadReply as error:
        return _why(error)


def streamed(dialect: JsonApi, *pieces: bytes) -> Outcome:
    """Read a stream that comes in these pieces."""
    reader = dialect.reader()
    try:
        for piece in pieces:
            reader.feed(piece)
        return reader.end()
    except BadReply as error:
        return _why(error)


def _why(error: BadReply) -> tuple[str, str, object]:
    return error.failure, str(error), error.usage
