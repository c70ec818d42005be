"""The campaign of this appliance: at most one at a time, in the background of the service."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Iterator

from wattmark.bench.plan import Plan
from wattmark.campaigns.campaign import CampaignRunner
from wattmark.campaigns.progress import ENDED_STATES
from wattmark.campaigns.status import CampaignOut, ThroughputSoFar
from wattmark.campaigns.stored import StoredCampaign, unfinished
from wattmark.core.errors import Conflict, WattmarkError

log = logging.getLogger(__name__)


MakeRunner = Callable[[str | Plan, Callable[[CampaignOut], None], StoredCampaign | None], CampaignRunner]
"""Makes the runner of a plan, of the bench by its name, for the rest of a campaign where one is given."""

Reason = tuple[str, str]
"""Why no campaign can start, and what to do."""
IMPORTING: Reason = ("An archive is being imported.", "Start the campaign when the import has finished.")
TRYING: Reason = ("A workload is being tried on this machine.", "Wait until that has ended.")


class Campaigns:
    """Start, watch and stop the one campaign."""

    def __init__(
        self,
        make_runner: MakeRunner,
        publish: Callable[[CampaignOut], None],
        find: Callable[[str | None], StoredCampaign],
        find_disturbed: Callable[[str | None], StoredCampaign],
    ) -> None:
        self._make_runner = make_runner
        self._publish = publish
        self._find = find
        self._find_disturbed = find_disturbed
        self._runner: CampaignRunner | None = None
        self._task: asyncio.Task[CampaignOut] | None = None
        self._kept: list[Reason] = []
        self._starting = threading.Lock()
        """Held by who decides between a campaign and an import."""
        self.status = CampaignOut(state="idle")

    @property
    def running(self) -> bool:
        """Return whether a campaign is under way."""
        return self._task is not None and not self._task.done()

    @contextlib.contextmanager
    def kept_from_starting(self, why: Reason = IMPORTING) -> Iterator[None]:
        """Let none start, such as while imported runs are stored. Raises `Conflict` where one runs: it comes first.

        Safe from any thread. Nobody may be waited for inside: a plan is refused as long as it lasts.
        """
        with self._starting:
            self.require_rest()
            self._kept.append(why)
        try:
            yield
        finally:
            with self._starting:
                self._kept.remove(why)

    def require_rest(self) -> None:
        """Raise `Conflict` where a campaign runs, which needs the disk for itself."""
        if self.running:
            raise Conflict("A campaign is running, and it needs the disk.", "Wait until it ends, or stop it.")

    def start(self, plan: str | Plan) -> CampaignOut:
        """Start a plan in the background: one of the bench by its name, or a plan itself.

        Raises `Conflict` when one runs already, or an archive is imported.
        """
        return self._begin(plan, None)

    def resume(self, campaign_id: str | None = None) -> CampaignOut:
        """Go on with a campaign that did not come to its end, the latest one where none is named.

        Raises `Conflict` when one runs already, `NotFound` and `InputError` where there is nothing to resume.
        """
        self.require_free()
        stored = self._find(campaign_id)
        return self._begin(stored.plan, stored)

    def repeat_disturbed(self, campaign_id: str | None = None) -> CampaignOut:
        """Repeat the disturbed runs of a campaign that has ended, the newest one where none is named.

        Raises `Conflict` when one runs already, `NotFound` and `InputError` where there is nothing to repeat.
        """
        self.require_free()
        stored = self._find_disturbed(campaign_id)
        return self._begin(stored.plan, stored)

    def show_resumable(self, stored: StoredCampaign | None) -> None:
        """Show that a campaign can be resumed, while nothing runs."""
        self.status = CampaignOut(state="idle", resumable=stored.out.campaign_id if stored else None)

    def require_free(self) -> None:
        """Raise `Conflict` where no campaign can start: one runs, or the machine is needed for something else."""
        if self.running:
            raise Conflict("A campaign is running.", "Stop it, or wait until it ends.")
        if self._kept:
            raise Conflict(*self._kept[0])

    def _begin(self, plan: str | Plan, stored: StoredCampaign | None) -> CampaignOut:
        with self._starting:
            self.require_free()
            return self._begin_free(plan, stored)

    def _begin_free(self, plan: str | Plan, stored: StoredCampaign | None) -> CampaignOut:
        self._runner = self._make_runner(plan, self._progressed, stored)
        name = plan if isinstance(plan, str) else plan.name
        waiting = CampaignOut(
            state="running", plan=name, message="Waiting for the instruments.", remaining_s=None, estimated_end_s=None
        )
        self._changed(
            waiting if stored is None else stored.out.model_copy(update=waiting.model_dump(exclude_unset=True))
        )
        self._task = asyncio.create_task(self._run(self._runner, name), name=f"campaign {name}")
        return self.status

    def stop(self) -> None:
        """Stop the load; the status follows when every process is gone."""
        if self._runner is not None and self.running:
            self._runner.stop()

    def operator_ready(self) -> None:
        """Go on after the operator has fitted a configuration."""
        if self._runner is not None and self.running:
            self._runner.operator_ready()

    def throughput(self) -> list[ThroughputSoFar]:
        """Tell what the runs under way have reported of their work until now."""
        return self._runner.throughput() if self._runner is not None and self.running else []

    async def wait(self) -> CampaignOut:
        """Wait for the campaign to end, and return how it ended."""
        return self.status if self._task is None else await asyncio.shield(self._task)

    async def close(self) -> None:
        """Stop the campaign and wait until its processes are gone."""
        self.stop()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self, runner: CampaignRunner, plan: str) -> CampaignOut:
        try:
            out = await runner.run()
            left = out.campaign_id if unfinished(out) else None
            self._changed(out.model_copy(update={"resumable": left}))
        except WattmarkError as error:
            self._changed(self.status.model_copy(update={"state": "failed", "message": str(error)}))
        except Exception as error:
            log.exception("the campaign %s failed", plan)
            message = f"The campaign failed: {type(error).__name__}: {error}. See the log for details."
            self._changed(self.status.model_copy(update={"state": "failed", "message": message}))
        return self.status

    def _progressed(self, status: CampaignOut) -> None:
        """Show what the runner does. Its end is shown when its work is over and the next can start."""
        if status.state not in ENDED_STATES:
            self._changed(status)

    def _changed(self, status: CampaignOut) -> None:
        self.status = status
        self._publish(status)
