"""DCMI's least, greatest and mean power, worked out by hand; over a gap nothing is claimed."""

from wattmark_drivers.speakers.ipmi.bmc import _PowerStatistics


def test_statistics_begin_anew_after_a_gap():
    now_s = 100.0
    statistics = _PowerStatistics(lambda: now_s)
    lines = []
    for step_s, power_w in ((1, 100.0), (1, 200.0), (1, None), (50, None), (7, 400.0), (1, 500.0), (1, 70_000.0)):
        now_s += step_s
        lines.append(statistics.update(power_w))
    assert lines == [
        "100 100 100 100 101 1000\n",
        "200 100 200 150 102 2000\n",
        "\n",
        "\n",
        "400 400 400 400 160 0\n",
        "500 400 500 450 161 1000\n",
        "\n",
    ]


def test_a_reading_shown_twice_counts_once_and_keeps_its_time():
    now_s = 100.0
    statistics = _PowerStatistics(lambda: now_s)
    statistics.update(100.0, 101_000_000_000)
    now_s = 102.0
    statistics.update(400.0, 102_000_000_000)
    now_s = 104.0
    assert statistics.update(400.0, 102_000_000_000) == "400 100 400 250 102 4000\n"
