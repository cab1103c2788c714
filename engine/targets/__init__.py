"""Systems under test. The table is the registry: a new kind is one file and one line here."""

from engine.model.kinds import Kinds

__all__ = ["KINDS"]

KINDS = Kinds(
    __name__,
    {
        "python_docs": "search_fts:PythonDocs",
        "folder": "search_fts:Folder",
        "replay": "replay:Replay",
        "http_json": "http_json:HttpJson",
        "python": "python:PythonFunction",
        "asgi": "asgi:Asgi",
        "mcp": "mcp:Mcp",
        "openai_chat": "models:OpenAIChatTarget",
        "openai_responses": "models:OpenAIResponsesTarget",
        "anthropic": "models:AnthropicTarget",
        "azure": "models:AzureTarget",
        "ollama": "models:OllamaTarget",
        "vllm": "models:VllmTarget",
    },
)
