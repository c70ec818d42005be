"""The depth of the outbox among the figures for Prometheus."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families
from wattmark.results.data_folder import open_storage
from wattmark.service.metrics.figures import Figures
from wattmark.service.service import open_service
from wattmark.service.settings import Settings

from .proxy import Fault, proxy_to
from .recorded import Drain, fill
from .servers import Server

SAMPLES = 600 + 32 + 50 + 70
PREFIX = "wattmark_outbox_"


def outbox_figures(folder: Path, target: str = "") -> dict[str, float]:
    """Read what an appliance says that has not begun to send to its one target."""
    figures = Figures()
    service = open_service(Settings(data_dir=folder), figures=figures)
    families = list(text_string_to_metric_families(figures.text().decode()))
    service._storage.close()
    outbox = [sample for family in families for sample in family.samples if sample.name.startswith(PREFIX)]
    assert all(sample.labels == {"target": target} for sample in outbox)
    return {sample.name.removeprefix(PREFIX): sample.value for sample in outbox}


def test_what_waits_is_a_figure_until_the_server_has_it(
    influx_18: Server, tmp_path: Path, settings_for, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy_to(influx_18.port) as proxy:
        settings = settings_for(influx_18).model_copy(update={"url": proxy.url})
        storage = open_storage(tmp_path)
        fill(storage, str(uuid4()), n=600)
        monkeypatch.setenv("WATTMARK_INFLUX_URL", proxy.url)
        proxy.script = [Fault(401, "authorization failed")]
        drain = Drain(storage, settings)
        drain.sink.step()
        storage.close()
        figures = outbox_figures(tmp_path, settings.target)
        assert figures == {"waiting_samples": SAMPLES, "waiting_runs": 1, "blocked": 1, "refused_points_total": 0}
        storage = open_storage(tmp_path)
        Drain(storage, settings).all()
        storage.close()
        figures = outbox_figures(tmp_path, settings.target)
        assert figures == {"waiting_samples": 0, "waiting_runs": 0, "blocked": 0, "refused_points_total": 0}


def test_where_nothing_is_sent_there_is_no_depth(tmp_path: Path) -> None:
    assert outbox_figures(tmp_path) == {}
