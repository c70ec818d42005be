import pytest
from pydantic import TypeAdapter, ValidationError
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.speakers.faults import Delay, Drop, FaultMessage, FaultQueue

MESSAGE: TypeAdapter[FaultMessage] = TypeAdapter(FaultMessage)


def test_faults_strike_in_order_as_often_as_told() -> None:
    queue = FaultQueue(Delay, Drop)
    delay, drop = Delay(kind="delay", seconds=1, count=2), Drop(kind="drop")

    queue.add(delay)
    queue.add(drop)

    assert [queue.take() for _ in range(4)] == [delay, delay, drop, None]


def test_a_device_refuses_the_faults_that_it_cannot_have() -> None:
    with pytest.raises(ConfigurationError, match="does not support the fault drop"):
        FaultQueue(Delay).add(Drop(kind="drop"))


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "delay"},
        {"kind": "delay", "seconds": -1},
        {"kind": "delay", "seconds": float("inf")},
        {"kind": "drop", "count": 0},
        {"kind": "exception", "code": 9},
        {"kind": "unplug"},
        {"kind": "fire"},
        {"kind": "drop", "seconds": 1},
    ],
)
def test_faults_that_make_no_sense_are_refused(message: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        MESSAGE.validate_python(message)
