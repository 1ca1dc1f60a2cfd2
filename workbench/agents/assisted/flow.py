"""What a model adds to each phase of the workflow."""

from workbench.agents.assisted import explaining, hypotheses, loop, objecting, sight
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.reading import Readings
from workbench.agents.ports import Ports
from workbench.llm.port import Models
from workbench.model.critique import Round


class Assistance:
    """One run's model, asked where the experts have done their part. None of it raises but what
    the journal raises; a model that fails leaves the experts' own."""

    def __init__(self, ports: Ports, models: Models) -> None:
        self._helper = Helper(ports, models)
        self._readings = Readings(self._helper)
        self._proposed = 0

    def begin_again(self) -> None:
        """The person has picked other models: they are asked from the next call on, whatever
        became of those before."""
        self._helper.begin_again()
        self._readings.begin_again()

    async def propose(self) -> None:
        """What code leaves open is read where it is long; then competing hypotheses beside the
        experts', once for each time that these propose."""
        await self._readings.read(self._helper.ports.state.shown.excerpt)
        proposals = self._helper.ports.state.proposals
        if proposals > self._proposed and not self._helper.gone:
            self._proposed = proposals
            await self._helper.meet()
            await sight.collect(self._helper.ports)
            if not self._helper.ports.state.one_loop:
                await hypotheses.propose(self._helper)

    async def investigate(self) -> None:
        """The tool loop."""
        await self._readings.read()
        await loop.investigate(self._helper, self._readings)

    async def explain(self) -> None:
        """Statements, a chain and an explanation for the conclusion."""
        await self._readings.read()
        if not self._helper.gone:
            await explaining.explain(self._helper)

    async def object_to(self, round: Round) -> Round:
        """The critic's round with the model's objections."""
        return round if self._helper.gone else await objecting.object_to(self._helper, round)
