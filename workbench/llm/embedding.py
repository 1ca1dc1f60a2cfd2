"""Who makes vectors of texts, where the settings want them."""

from workbench.llm.lineup import Backend
from workbench.llm.offers import OLLAMA, OLLAMA_PORT, OPENAI, Offer
from workbench.llm.port import EmbeddingsOff, NoModel
from workbench.llm.providers.place import BadAddress, place_of
from workbench.settings import Settings


def embedder(settings: Settings) -> Backend:
    """The backend that the settings name. Raises `NoModel` where embeddings are off, or cannot be
    had; the message says why."""
    if not settings.use_embeddings:
        raise EmbeddingsOff("embeddings are off")
    try:
        offer = _offer(settings)
    except BadAddress as error:
        raise NoModel(str(error)) from error
    model = offer.model or settings.embeddings_model
    provider = offer.provider(settings)
    return Backend(provider, model, offer.tier, offer.place.shown, offer.seller)


def _offer(settings: Settings) -> Offer:
    match settings.embeddings_provider:
        case "openai":
            place = place_of(settings.openai_base_url or OPENAI)
            seller = "openai" if place.shown == OPENAI else ""
            key = settings.openai_api_key
            return Offer("openai", place, "OPENAI_API_KEY", key=key, seller=seller)
        case "azure":
            endpoint = settings.azure_embeddings_endpoint or settings.azure_openai_endpoint
            if not endpoint:
                raise NoModel("AZURE_EMBEDDINGS_ENDPOINT is not set")
            return Offer(
                "azure",
                place_of(endpoint),
                "AZURE_EMBEDDINGS_ENDPOINT",
                settings.azure_embeddings_deployment,
                settings.azure_embeddings_api_key or settings.azure_openai_api_key,
                settings.azure_openai_api_version,
                seller="azure",
            )
        case "ollama":
            place = place_of(settings.ollama_host or OLLAMA, port=OLLAMA_PORT)
            return Offer("ollama", place, "OLLAMA_HOST")
        case other:
            raise NoModel(f"EMBEDDINGS_PROVIDER is {other!r}: use openai, azure or ollama")
