"""True power as a function of time whose integral is known exactly: what a trial's interval must hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]
MARGIN_S = 40.0
"""Time before and after the window over which random parts of a signal are drawn."""
NOISE_STEP_S = 0.05


@dataclass(frozen=True)
class Power:
    """Power [W] at instants, and an antiderivative of it [J]; time 0 is the window's begin."""

    watts: Callable[[Array], Array]
    energy_j: Callable[[Array], Array]

    def __add__(self, other: Power) -> Power:
        return Power(
            lambda t: self.watts(t) + other.watts(t),
            lambda t: self.energy_j(t) + other.energy_j(t),
        )

    def mean_w(self, begin_s: float, end_s: float) -> float:
        """Compute mean power between two instants [W]."""
        begin_j, end_j = self.energy_j(np.array([begin_s, end_s]))
        return float(end_j - begin_j) / (end_s - begin_s)

    def scaled(self, factor: float) -> Power:
        """Give a share of this power, as one of several feeds carries it."""
        return Power(lambda t: factor * self.watts(t), lambda t: factor * self.energy_j(t))

    def only(self, begin_s: float, end_s: float) -> Power:
        """Give this power between two instants and none outside."""
        return Power(
            lambda t: np.where((t >= begin_s) & (t < end_s), self.watts(t), 0.0),
            lambda t: self.energy_j(np.clip(t, begin_s, end_s)),
        )


def constant(level_w: float) -> Power:
    return Power(lambda t: np.full_like(t, level_w), lambda t: level_w * t)


def step(at_s: float, rise_w: float) -> Power:
    return Power(lambda t: rise_w * (t >= at_s), lambda t: rise_w * np.maximum(t - at_s, 0.0))


def load(begin_s: float, end_s: float, idle_w: float, busy_w: float) -> Power:
    """Idle, busy from ``begin_s`` to ``end_s``, idle again."""
    return constant(idle_w) + step(begin_s, busy_w - idle_w) + step(end_s, idle_w - busy_w)


def ramp(begin_s: float, end_s: float, rise_w: float) -> Power:
    """A straight rise between two instants, zero before and ``rise_w`` after."""
    length_s = end_s - begin_s

    def energy_j(t: Array) -> Array:
        inside = np.clip(t - begin_s, 0.0, length_s)
        return rise_w * (inside**2 / (2 * length_s) + np.maximum(t - end_s, 0.0))

    return Power(lambda t: rise_w * np.clip((t - begin_s) / length_s, 0.0, 1.0), energy_j)


def settling(at_s: float, amplitude_w: float, tau_s: float) -> Power:
    """A transient that appears at ``at_s`` and dies away with the time constant ``tau_s``."""

    def watts(t: Array) -> Array:
        since = np.maximum(t - at_s, 0.0)
        return np.where(t >= at_s, amplitude_w * np.exp(-since / tau_s), 0.0)

    return Power(watts, lambda t: amplitude_w * tau_s * -np.expm1(-np.maximum(t - at_s, 0.0) / tau_s))


def square(amplitude_w: float, period_s: float, phase_s: float, duty: float = 0.5) -> Power:
    """Square wave of +-``amplitude_w``, high for the share ``duty`` of its period."""

    def watts(t: Array) -> Array:
        return np.where(np.mod((t - phase_s) / period_s, 1.0) < duty, amplitude_w, -amplitude_w)

    def energy_j(t: Array) -> Array:
        whole, share = np.divmod((t - phase_s) / period_s, 1.0)
        high = whole * duty + np.minimum(share, duty)
        return amplitude_w * period_s * (2 * high - whole - share)

    return Power(watts, energy_j)


def sawtooth(amplitude_w: float, period_s: float, phase_s: float) -> Power:
    """Rise from -``amplitude_w`` to +``amplitude_w`` over each period."""

    def share(t: Array) -> Array:
        return np.mod((t - phase_s) / period_s, 1.0)

    return Power(
        lambda t: amplitude_w * (2 * share(t) - 1),
        lambda t: amplitude_w * period_s * (share(t) ** 2 - share(t)),
    )


def sine(amplitude_w: float, period_s: float, phase_s: float) -> Power:
    omega = 2 * np.pi / period_s
    return Power(
        lambda t: amplitude_w * np.sin(omega * (t - phase_s)),
        lambda t: -amplitude_w / omega * np.cos(omega * (t - phase_s)),
    )


def pulses(begin_s: Array, width_s: float, height_w: float) -> Power:
    """Pulses of one width and height that begin at given instants; overlapping ones add up."""
    begin_s = np.asarray(begin_s, dtype=np.float64)[:, None]

    def watts(t: Array) -> Array:
        return height_w * np.count_nonzero((t >= begin_s) & (t < begin_s + width_s), axis=0)

    return Power(watts, lambda t: height_w * np.clip(t - begin_s, 0.0, width_s).sum(axis=0))


def stepwise(knots_s: Array, level_w: Array) -> Power:
    """Power that keeps ``level_w[i]`` from ``knots_s[i]`` to the next knot, and the outermost levels beyond."""
    total_j = np.concatenate(([0.0], np.cumsum(level_w[:-1] * np.diff(knots_s))))

    def piece(t: Array) -> NDArray[np.intp]:
        return np.clip(np.searchsorted(knots_s, t, side="right") - 1, 0, len(knots_s) - 1)

    return Power(
        lambda t: level_w[piece(t)],
        lambda t: total_j[piece(t)] + level_w[piece(t)] * (t - knots_s[piece(t)]),
    )


def noise(rng: np.random.Generator, sd_w: float, tau_s: float, duration_s: float) -> Power:
    """First-order noise: correlation falls to 1/e within ``tau_s``, stationary from the first moment on."""
    step_s = min(NOISE_STEP_S, tau_s / 6) if tau_s < 1 else tau_s / 20
    knots_s = np.arange(-MARGIN_S, duration_s + MARGIN_S, step_s)
    phi = np.exp(-step_s / tau_s)
    kick = rng.normal(0.0, sd_w * np.sqrt(1 - phi * phi), len(knots_s))
    kick[0] /= np.sqrt(1 - phi * phi)
    return stepwise(knots_s, scipy.signal.lfilter([1.0], [1.0, -phi], kick))


def two_states(rng: np.random.Generator, low_w: float, high_w: float, dwell_s: float, duration_s: float) -> Power:
    """Switch between two levels after exponential times, as a processor between two turbo states."""
    count = int(4 * (duration_s + 2 * MARGIN_S) / dwell_s) + 20
    knots_s = -MARGIN_S + np.concatenate(([0.0], np.cumsum(rng.exponential(dwell_s, count - 1))))
    first = int(rng.integers(2))
    return stepwise(knots_s, np.where((np.arange(count) + first) % 2 == 0, low_w, high_w))


def random_instants(rng: np.random.Generator, mean_gap_s: float, duration_s: float) -> Array:
    """Draw instants of a Poisson process over the window and its margins."""
    count = rng.poisson((duration_s + 2 * MARGIN_S) / mean_gap_s)
    return np.sort(rng.uniform(-MARGIN_S, duration_s + MARGIN_S, count))
