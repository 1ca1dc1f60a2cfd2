"""Azure OpenAI: OpenAI's words at a deployment's address."""

from tests.llm.asks import LIMITS, Verdict, question
from tests.llm.scripted import Scripted, says
from workbench.llm.providers.azure import API_VERSION, AzureOpenAi
from workbench.llm.providers.place import place_of
from workbench.settings import Secret


async def test_a_deployment_is_asked_with_its_key(scripted: Scripted) -> None:
    scripted.script(says('{"cause": "deadlock", "confidence": 0.5}'))
    place = place_of(scripted.ollama)
    provider = AzureOpenAi(place, Secret("azure-key"), deployment="ours", limits=LIMITS)
    (model,) = await provider.models()
    reply = await provider.complete(model.name, question(answer=Verdict), temperature=0.0)
    await provider.close()
    assert reply.value == Verdict(cause="deadlock", confidence=0.5)
    (seen,) = scripted.asked
    assert seen.path == f"/openai/deployments/ours/chat/completions?api-version={API_VERSION}"
    assert seen.headers["api-key"] == "azure-key"
    assert "authorization" not in seen.headers
