"""Do the files belong together, and who measured? Session, digests, clocks, analyzer, ranging pass."""

from __future__ import annotations

from wattmark.analysis.efficiency.facts import shortfall_to_ranging_pct
from wattmark.analysis.refusal import Refused
from wattmark.core.numbers import format_number
from wattmark.importers.mlperf.judged import CHECKER, at_most, not_told
from wattmark.importers.mlperf.mlperf_evidence import TESTING, Evidence
from wattmark.runs.record import ImportedVerdict
from wattmark.workloads.loadgen.source_file import SourceFile

ACCEPTED_DRIVERS = frozenset(
    {
        "YokogawaWT210",
        "YokogawaWT500",
        "YokogawaWT500_multichannel",
        "YokogawaWT310",
        "YokogawaWT310E",
        "YokogawaWT330",
        "YokogawaWT330E",
        "YokogawaWT330_multichannel",
        "YokogawaWT210_DC",
        "YokogawaWT310_DC",
        "YokogawaWT330_DC",
    }
)
"""Analyzers that the checker admits."""
KNOWN_VERSIONS = frozenset({"1.9.1", "1.9.2", "1.10.0", "1.11.1"})
"""Releases of the daemon that the checker has admitted since 2021."""
_CLOCKS_MS = 400.0
_PHASES_MS = 800.0
_SHORTFALL_PCT = 5.0
_FLOW = "mlcommons/power-dev c4b3ad82, ptd_client_server"
_NO_SERVER = "server.json is missing or cannot be read"


def judge_session(evidence: Evidence) -> tuple[ImportedVerdict, ...]:
    """Evaluate the consistency of the files of a session."""
    return (
        _session(evidence),
        _files(evidence),
        _digests(evidence),
        _driver(evidence),
        _version(evidence),
        _clock_difference(evidence),
        _phase_difference(evidence),
        _ranging(evidence),
    )


def daemon_release(version: str) -> str:
    """Return the release out of "1.9.2-e8c7a49a-20201208"."""
    return version.partition("-")[0]


def shortfall_pct(evidence: Evidence) -> float | None:
    """Compute how far the measured pass lies below the ranging pass [%]; None where one of them has no mean."""
    if evidence.testing_w is None or evidence.ranging_w is None:
        return None
    try:
        return shortfall_to_ranging_pct(evidence.testing_w, evidence.ranging_w)
    except Refused:
        return None


def _session(evidence: Evidence) -> ImportedVerdict:
    """Compare the names and identifiers of the session wherever they occur."""
    rule, session, source = "import-session", evidence.session, f"{CHECKER}: session names and identifiers are equal"
    names = dict(session.names)
    if evidence.mark.endswith(TESTING):
        names["spl.txt"] = evidence.mark.removesuffix(TESTING)
    if evidence.console_sessions:
        fitting = names.get("spl.txt") in evidence.console_sessions
        names["ptd_logs.txt"] = names["spl.txt"] if fitting else evidence.console_sessions[-1]
    sides = {"session name": names, "session identifier": session.ids}
    differing = {item: by_file for item, by_file in sides.items() if len(set(by_file.values())) > 1}
    others = [f"{item} {', '.join(f'{n} in {f}' for f, n in by_file.items())}" for item, by_file in differing.items()]
    if len(names) < 2:
        where = ", ".join(names) or "no file"
        text = f"Only {where} names the session, so nothing shows that the files belong together."
        return not_told(rule, 0, "names", text, source)
    text = (
        f"The files come from different sessions: {'; '.join(others)}."
        if others
        else "All files name the same session."
    )
    return at_most(rule, len(others), 0, "names", text, source, contradiction=True)


def _files(evidence: Evidence) -> ImportedVerdict:
    """Count the files that a session leaves behind and that were taken away, its digests and clocks with them."""
    rule, source = (
        "import-session-files",
        f"{CHECKER}: required files of the session, of the ranging and of the testing",
    )
    if not evidence.folder.of_session:
        text = "No power session recorded these logs, so there are no files of one that could be missing."
        return not_told(rule, 0, "files", text, source)
    missing = evidence.folder.missing_files()
    text = "All files that a power session leaves are there."
    if missing:
        text = f"Missing of the power session: {', '.join(missing)}; get the original files."
    return at_most(rule, len(missing), 0, "files", text, source)


def _digests(evidence: Evidence) -> ImportedVerdict:
    """Compare the files with the digests that the session recorded when it created them."""
    rule, source = "import-file-digests", f"{CHECKER}: SHA-1 of every file as server.json and client.json recorded it"
    recorded = evidence.session.digests
    files = {path: file for path, file in evidence.by_path.items() if path in recorded}
    if not files:
        text = "No hashes of the files are recorded (server.json and client.json), so edits cannot be detected by hash."
        return not_told(rule, 0, "files", text, source)
    changed = [path for path, file in files.items() if recorded[path] != {file.sha1}]
    other_ends = [path for path in changed if recorded[path] <= {*_sha1_by_line_end(files[path]), files[path].sha1}]
    changed = [path for path in changed if path not in other_ends]
    text = f"{len(files)} files are as the session recorded them."
    if other_ends:
        text = f"{text[:-1]}, {len(other_ends)} of them but for their line ends, as Git may change them."
    if changed:
        text = f"Changed since the session recorded them: {', '.join(changed)}; get the original files."
    return at_most(rule, len(changed), 0, "files", text, source, contradiction=True)


def _sha1_by_line_end(file: SourceFile) -> tuple[str, str]:
    """Compute the SHA-1 of a file with LF and with CRLF as line ends."""
    plain = file.data.replace(b"\r\n", b"\n")
    return SourceFile(file.name, plain).sha1, SourceFile(file.name, plain.replace(b"\n", b"\r\n")).sha1


def _driver(evidence: Evidence) -> ImportedVerdict:
    rule, identity, source = "import-analyzer", evidence.session.identity, f"{CHECKER}: list of analyzers"
    if identity is None:
        return not_told(rule, 0, "analyzers", f"{_why_unknown(evidence)}: the analyzer is not known.", source)
    accepted = identity.driver in ACCEPTED_DRIVERS
    text = f"The analyzer's driver {identity.driver[:60]!r} is {'' if accepted else 'not '}on the list."
    return at_most(rule, int(not accepted), 0, "analyzers", text, source)


def _version(evidence: Evidence) -> ImportedVerdict:
    rule, identity = "import-daemon-version", evidence.session.identity
    source = f"{CHECKER} and its history: {', '.join(sorted(KNOWN_VERSIONS))}"
    if identity is None:
        return not_told(rule, 0, "versions", f"{_why_unknown(evidence)}: the daemon's version is not known.", source)
    release = daemon_release(identity.daemon_version)
    admitted = release in KNOWN_VERSIONS
    text = f"Version {release[:40]!r} of the daemon is {'' if admitted else 'not '}one that was ever accepted."
    return at_most(rule, int(not admitted), 0, "versions", text, source)


def _why_unknown(evidence: Evidence) -> str:
    return "server.json holds no reply to Identify" if evidence.session.server else _NO_SERVER


def _clock_difference(evidence: Evidence) -> ImportedVerdict:
    rule, session, source = "import-clock-difference", evidence.session, f"{_FLOW}: 400 ms"
    difference_s = session.clock_difference_s
    if difference_s is None:
        text = f"{_missing_side(evidence)}: the clocks of the two machines were not compared."
        return not_told(rule, _CLOCKS_MS, "ms", text, source)
    text = (
        f"The clocks of the two machines differed by up to {format_number(1e3 * difference_s, 3)} ms, so the window "
        "may be shifted "
        "by as much."
    )
    return at_most(rule, 1e3 * difference_s, _CLOCKS_MS, "ms", text, source)


def _phase_difference(evidence: Evidence) -> ImportedVerdict:
    rule, source = "import-phases", f"{CHECKER}: 800 ms"
    difference_s = evidence.session.phase_difference_s
    if difference_s is None:
        text = f"{_missing_side(evidence)}: the phases of the two machines cannot be compared."
        return not_told(rule, _PHASES_MS, "ms", text, source)
    text = f"The two machines recorded the phases of the session up to {format_number(1e3 * difference_s, 3)} ms apart."
    return at_most(rule, 1e3 * difference_s, _PHASES_MS, "ms", text, source)


def _missing_side(evidence: Evidence) -> str:
    session = evidence.session
    if session.server and session.client:
        return "server.json and client.json do not hold both sides of it"
    return _NO_SERVER if not session.server else "client.json is missing or cannot be read"


def _ranging(evidence: Evidence) -> ImportedVerdict:
    rule, source = "import-ranging-power", f"{CHECKER}: not more than 5 % below the ranging pass"
    below_pct = shortfall_pct(evidence)
    if below_pct is None:
        text = f"{evidence.ranging_problem or 'The ranging pass has no mean power'}: it cannot be compared."
        return not_told(rule, _SHORTFALL_PCT, "%", text, source)
    text = (
        f"The measured pass drew {format_number(evidence.testing_w, 5)} W, the ranging pass "
        f"{format_number(evidence.ranging_w, 5)} W "
        f"({format_number(below_pct, 2)} % below)."
    )
    return at_most(rule, below_pct, _SHORTFALL_PCT, "%", text, source)
