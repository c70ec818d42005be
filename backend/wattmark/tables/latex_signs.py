r"""Text for LaTeX: every sign becomes ASCII that the standard fonts of every engine set without further packages.

A sign with a command of the LaTeX kernel (2020 or newer) becomes that, in the default encoding OT1. Any other sign
becomes its number, as in {U+4E2D}, and `replaced` lists it: nothing vanishes, and two names that differ stay different.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ASCII = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "{''}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
r"""A bracket or star at the beginning of a cell would be read as an option of the \\ before it."""
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0331": "b",
}  # fmt: skip
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "ς": "varsigma",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "ϑ": "vartheta",
    "ϕ": "phi", "ϵ": "epsilon", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi",
    "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "µ": "mu",
}  # fmt: skip
_MATH = {
    **_GREEK, "±": "pm", "∓": "mp", "×": "times", "÷": "div", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx",
    "∞": "infty", "√": "surd", "∑": "sum", "∏": "prod", "∂": "partial", "∫": "int", "∆": "Delta", "∇": "nabla",
    "∈": "in", "→": "rightarrow", "←": "leftarrow", "↑": "uparrow", "↓": "downarrow", "↔": "leftrightarrow",
    "⇒": "Rightarrow", "∝": "propto", "∼": "sim", "≡": "equiv", "ℓ": "ell", "«": "ll", "»": "gg", "⋅": "cdot",
    "‹": "langle", "›": "rangle", "∅": "emptyset", "∩": "cap", "∪": "cup", "∧": "wedge", "∨": "vee", "⊥": "perp",
}  # fmt: skip
_TEXT = {
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "ȷ": "j",
    "¡": "textexclamdown", "¿": "textquestiondown", "¢": "textcent", "£": "textsterling", "¤": "textcurrency",
    "¥": "textyen", "€": "texteuro", "¦": "textbrokenbar", "§": "textsection", "¨": "textasciidieresis",
    "©": "textcopyright", "ª": "textordfeminine", "¬": "textlnot", "®": "textregistered", "¯": "textasciimacron",
    "´": "textasciiacute", "¶": "textparagraph", "·": "textperiodcentered", "º": "textordmasculine",
    "¼": "textonequarter", "½": "textonehalf", "¾": "textthreequarters", "‰": "textperthousand", "†": "textdagger",
    "‡": "textdaggerdbl", "•": "textbullet", "…": "textellipsis", "™": "texttrademark", "“": "textquotedblleft",
    "”": "textquotedblright", "‘": "textquoteleft", "’": "textquoteright",
}  # fmt: skip
_KNOWN = {
    **_ASCII,
    **{sign: rf"\ensuremath{{\{name}}}" for sign, name in _MATH.items()},
    **{sign: rf"\{name}{{}}" for sign, name in _TEXT.items()},
    "−": r"\ensuremath{-}",
    "°": r"\ensuremath{^\circ}",
    "¸": r"\c{}",
    "‚": ",",
    "„": "{,,}",
    "‐": "-",
    "‑": "-",
    "‒": "--",
    "–": "--",
    "—": "---",
    "―": "---",
    "\xad": r"\-",
    "\xa0": r"\nobreakspace{}",
    "\u202f": r"\,",
    "\u2009": r"\,",
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True)),
}
_BLANK = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_EACH = re.compile(r"(-)(?=-)|.")
"""A sign; a hyphen before another one is kept apart from it, as the two would be set as a dash."""
_NUMBERED = re.compile(r"\{U\+([0-9A-F]{4,6})\}")
_SUPER_OR_SUB = re.compile(r"<(super|sub)> ([0-9A-F]{4})")


def one_line(text: str) -> str:
    """Return text with its signs composed; line breaks and control characters become blanks."""
    return _BLANK.sub(" ", unicodedata.normalize("NFC", text))


def escape(text: str) -> str:
    """Escape text for LaTeX, in one line."""
    return _EACH.sub(lambda match: "-{}" if match[1] else _sign(match[0]), one_line(text))


def replaced(line: str) -> set[str]:
    """List the signs that an escaped line contains as code points."""
    return {chr(int(number, 16)) for number in _NUMBERED.findall(line)}


@lru_cache(maxsize=4096)
def _sign(sign: str) -> str:
    if sign in _KNOWN:
        return _KNOWN[sign]
    if " " <= sign <= "~":
        return sign
    return _raised(sign) or _accented(sign) or _compatible(sign) or _numbered(sign)


def _raised(sign: str) -> str:
    """Write a raised or lowered sign, such as a superscript two."""
    match = _SUPER_OR_SUB.fullmatch(unicodedata.decomposition(sign))
    letter = chr(int(match[2], 16)).replace("−", "-") if match else ""
    if match is None or not re.fullmatch(r"[\w+=()-]", letter, re.ASCII) or letter == "_":
        return ""
    return rf"\ensuremath{{{'^' if match[1] == 'super' else '_'}{{{letter}}}}}"


def _accented(sign: str) -> str:
    """Write a letter of the Latin or Greek alphabet with its accents, where all of them have a command."""
    base, *marks = list(unicodedata.normalize("NFD", sign))
    if base in _GREEK and marks == ["\u0301"]:
        return rf"\ensuremath{{\acute{{\{_GREEK[base]}}}}}"
    if not (base.isascii() and base.isalpha()) or len(marks) != 1 or marks[0] not in _ACCENTS:
        return ""
    accent = _ACCENTS[marks[0]]
    dotless = {"i": r"\i", "j": r"\j"}.get(base, base) if accent not in "dcb" else base
    return rf"\{accent}{{{dotless}}}"


def _compatible(sign: str) -> str:
    """Return the plain signs equivalent to one sign, such as those of a ligature."""
    plain = unicodedata.normalize("NFKC", sign)
    if plain == sign or not all(letter in _KNOWN or " " <= letter <= "~" for letter in plain):
        return ""
    return "".join(map(_sign, plain))


def _numbered(sign: str) -> str:
    return rf"{{U+{ord(sign):04X}}}\allowbreak{{}}"
