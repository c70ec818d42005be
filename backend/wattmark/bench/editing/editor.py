"""The bench that the service works with, its file, and the changes of both. All methods may wait for the disk."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wattmark.bench.bench import Bench
from wattmark.bench.editing.bench_file import BenchFile, Text
from wattmark.bench.editing.claims import Machine, brought_in
from wattmark.bench.editing.errors import EditRefused, refused
from wattmark.bench.editing.history import Change, History
from wattmark.bench.editing.plain import Document, Edit, EntryPlace, Steps
from wattmark.bench.editing.rewrite import rewrite
from wattmark.bench.editing.secret_files import SecretFiles
from wattmark.bench.editing.uses import refuse_if_used
from wattmark.bench.editing.views import ChangeHead, ChangeOut, ChangesOut, MistakeOut, SourceOut
from wattmark.bench.mistakes import BenchError, bench_error
from wattmark.bench.shareable import shareable, shareable_text
from wattmark.bench.yaml_source import MAX_BYTES, LocatedData, YamlSource
from wattmark.core.errors import Conflict, InputError
from wattmark.hosts.own_keys import OwnKeys

Check = Callable[[LocatedData, Path], Bench]
"""Checks a bench against all that this installation knows. Raises `BenchError`."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A change that has been checked and can be written."""

    before: Text
    after: Text
    source: YamlSource
    bench: Bench
    change: str
    undoes: int | None = None

    @property
    def diff(self) -> str:
        """Write the change of the text as a unified diff."""
        return _diff(self.before.text, self.after.text)

    @property
    def shareable_diff(self) -> str:
        """Write that change without what others may not see; empty where that cannot be done for sure."""
        before, after = shareable_text(self.before.text), shareable_text(self.after.text)
        return "" if before is None or after is None else _diff(before, after)


class BenchEditor:
    """Reads, checks and changes the one bench file."""

    def __init__(
        self,
        file: BenchFile,
        history: History,
        secrets: SecretFiles,
        own_keys: OwnKeys,
        check: Check,
        now_s: Callable[[], float],
        serial_ports: Callable[[], Collection[str]] = tuple,
        *,
        by_owner: bool = False,
    ) -> None:
        """``serial_ports`` lists the ports that this machine has: those may be named over HTTP.

        ``by_owner``: changes come from a command on this machine, whose user might write the file as well.
        """
        self._by_owner = by_owner
        self._file = file
        self._history = history
        self.secrets = secrets
        self.own_keys = own_keys
        self._check = check
        self._now_s = now_s
        self._serial_ports = serial_ports
        file.tidy()
        self._text = file.read()
        self._source = YamlSource(str(file.path), self._text.text)
        self.bench = check(self._source, file.path)

    @property
    def version(self) -> str:
        """Return the text that is in force."""
        return self._text.version

    @property
    def exists(self) -> bool:
        """Return whether a bench file exists."""
        return self._text.exists

    @property
    def fixed(self) -> Path | None:
        """Return the bench file where nothing can be written to it; None where the bench can be changed."""
        return self._file.path if self._file.fixed else None

    @property
    def document(self) -> Document:
        """Return the content of the file in force, as plain data."""
        return dict(self._source.data)

    def source(self) -> SourceOut:
        """Read the file as it is on disk now."""
        now = self._file.read()
        return SourceOut(
            version=now.version,
            file=str(self._file.path),
            exists=now.exists,
            in_force=now.version == self.version,
            text=now.text,
        )

    def suppose(self, edit: Edit) -> Bench:
        """Return the bench as it would be after a change, without making it. Raises `EditRefused`."""
        data = edit.apply(self.document)
        source = LocatedData(self._file.path.name, data)
        base = edit.leads_to(self.document)
        self._refuse_what_is_brought_in(self.bench, source, base)
        return self._checked(source, base)

    def prepare(self, edit: Edit, seen: str) -> Prepared:
        """Check a change of the file's content. Raises `EditRefused`, `Conflict`, `NotFound`."""
        before = self._seen(seen)
        old = self._plain(before)
        new, base = edit.apply(old), edit.leads_to(old)
        source = LocatedData(self._file.path.name, new)
        self._refuse_what_is_brought_in(self._bench_of(before), source, base)
        self._checked(source, base)
        return self._prepared(before, Text(rewrite(before.text, new)), edit.title(old), base)

    def prepare_removal(self, edit: Edit, place: EntryPlace, seen: str) -> Prepared:
        """Check the removal of an entry. Raises `Conflict` naming who uses it, `NotFound`."""
        before = self._seen(seen)
        document = edit.apply(self._plain(before))
        refuse_if_used(self._check(YamlSource(str(self._file.path), before.text), self._file.path), place)
        return self._prepared(before, Text(rewrite(before.text, document)), edit.title(document), None)

    def prepare_release(self, edit: Edit, seen: str) -> Prepared:
        """Check the removal of a server together with what depends on it. Raises `NotFound`, `EditRefused`."""
        before = self._seen(seen)
        document = edit.apply(self._plain(before))
        self._checked(LocatedData(self._file.path.name, document), None)
        return self._prepared(before, Text(rewrite(before.text, document)), edit.title(document), None)

    def prepare_text(self, text: str, seen: str) -> Prepared:
        """Check a whole new text. Raises `EditRefused`, `Conflict`."""
        if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise InputError(f"The text is longer than {MAX_BYTES // 1000} kB.", "A bench file is a few hundred lines.")
        return self._prepared(self._seen(seen), Text(text), "Edited the text of the bench file.", ())

    def prepare_undo(self, seen: str, of: str | None = None) -> Prepared:
        """Return the inverse of the newest change not yet undone.

        Raises `Conflict` where there is none, or where a user other than ``of`` made it (None: any user).
        """
        before = self._seen(seen)
        change = self._history.next_undo(before.version)
        if change is None:
            remedy = (
                "Only changes made by the service can be undone, and only if the file was not edited by hand since."
            )
            raise Conflict("There is no change to undo.", remedy)
        if of is not None and change.by != of:
            raise Conflict(f"The latest change is not yours: {change.change}", "Ask an administrator to undo it.")
        after = Text(change.text)
        source = self._readable(after)
        return Prepared(before, after, source, self._checked(source, ()), f"Took back: {change.change}", change.number)

    def write(self, prepared: Prepared, by: str = "") -> None:
        """Note the change and who made it, then write the file: whatever breaks in between leaves a valid file.

        Raises `Conflict` where the file has changed since it was read, and `StoreError`.
        """
        if prepared.after.text == prepared.before.text and prepared.before.exists:
            return
        self._seen(prepared.before.version)
        self._history.note(
            Change(
                number=self._history.next_number(),
                at_s=self._now_s(),
                change=prepared.change,
                before=prepared.before.version,
                after=prepared.after.version,
                undoes=prepared.undoes,
                by=by,
                text=prepared.before.text,
            )
        )
        self._file.write(prepared.after.text)
        changes = self._history.changes(prepared.after.version)
        self.secrets.forget_unused([prepared.after.text, *(change.text for change in changes)])

    def take(self, prepared: Prepared) -> None:
        """Put a changed bench into force."""
        self._text = prepared.after
        self._source = prepared.source
        self.bench = prepared.bench

    def changes(self) -> ChangesOut:
        """List the changes, the newest first."""
        version = self._file.read().version
        changes = self._history.changes(version)
        taken_back = {change.undoes for change in changes}
        undo = self._history.next_undo(version)
        rows = [
            ChangeOut(
                **change.model_dump(include=set(ChangeHead.model_fields)),
                undone=change.undoes is not None or change.number in taken_back,
            )
            for change in reversed(changes)
        ]
        return ChangesOut(version=version, changes=rows, undo=undo.number if undo else None)

    def _seen(self, version: str) -> Text:
        """Read the file, if it is still the version shown to the user. Raises `Conflict`."""
        now = self._file.read()
        if now.version != version.strip().removeprefix("W/").strip('"'):
            raise Conflict(
                "The bench was changed in the meantime.", "Reload the bench, review the change, then repeat yours."
            )
        return now

    def _plain(self, text: Text) -> Document:
        """Read a text as plain data. Raises `InputError` where it was broken by hand."""
        document = YamlSource(str(self._file.path), text.text).data
        if not isinstance(document, dict):
            raise InputError("The bench file is not a YAML map.", "Correct the text of the file.")
        return document

    def _prepared(self, before: Text, after: Text, change: str, base: Steps | None) -> Prepared:
        """Check a change received over the network. Raises `EditRefused`."""
        source = self._readable(after)
        self._refuse_what_is_brought_in(self._bench_of(before), source, base)
        return Prepared(before, after, source, self._checked(source, base), change)

    def _refuse_what_is_brought_in(self, before: Bench, source: LocatedData, base: Steps | None) -> None:
        """Refuse what is new and not harmless, before anything looks at what it names. Raises `EditRefused`."""
        if self._by_owner:
            return
        try:
            after = Bench.model_validate(source.data)
        except ValidationError:
            return  # the check of the whole bench refuses it in words of its own
        folder = self._file.path.resolve().parent
        machine = Machine(
            self._serial_ports(),
            lambda file, bound: self.secrets.keeps(folder, file, bound),
            lambda address: self.own_keys.keeps(folder, address),
        )
        if mistakes := brought_in(before, after, machine):
            raise refused(bench_error(source, mistakes), base)

    def _bench_of(self, text: Text) -> Bench:
        """Return the bench that a text on the disk describes; that in force where it was broken by hand."""
        if text.version == self.version:
            return self.bench
        try:
            return self._check(YamlSource(str(self._file.path), text.text), self._file.path)
        except InputError:
            return self.bench

    def _checked(self, source: LocatedData, base: Steps | None) -> Bench:
        """Check a text; mistakes are told by their place in what was sent. Raises `EditRefused`."""
        try:
            return self._check(source, self._file.path)
        except BenchError as error:
            raise refused(error, base) from None

    def _readable(self, text: Text) -> YamlSource:
        name = self._file.path.name
        if any("\ud800" <= char <= "\udfff" for char in text.text):
            raise EditRefused(
                [MistakeOut(path=None, where="", line=None, message="invalid Unicode: an unpaired surrogate")]
            )
        try:
            return YamlSource(name, text.text)
        except InputError as error:
            place, _, message = error.cause.partition(": ")
            line = place.removeprefix(f"{name}:")
            number = int(line) if line.isdecimal() else None
            mistake = MistakeOut(path=[], where="", line=number, message=message or error.cause)
            raise EditRefused([mistake]) from None


def _diff(before: str, after: str) -> str:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(unified_diff(old, new, "before", "after", n=2))


def entries_of(document: Document) -> dict[str, Any]:
    """Return what viewers may see of a document; lists of entries that are not there are empty."""
    lists = {name: document.get(name) or [] for name in ("servers", "meters", "bmcs", "workloads", "plans")}
    return {**shareable(document), **lists}
