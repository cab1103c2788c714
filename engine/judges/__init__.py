"""Who answers a rubric's questions. The table is the registry: a new kind is one file and one line here."""

from engine.model.kinds import Kinds

__all__ = ["KINDS"]

KINDS = Kinds(
    __name__,
    {
        "none": "none:NoJudge",
        "human": "human:Human",
        "offline": "offline:Offline",
        "panel": "panel:PanelOfJudges",
        "openai_chat": "dialects:OpenAIChatJudge",
        "openai_responses": "dialects:OpenAIResponsesJudge",
        "anthropic": "dialects:AnthropicJudge",
        "ollama": "dialects:OllamaJudge",
        "azure": "dialects:AzureJudge",
        "vllm": "dialects:VllmJudge",
    },
)
