"""What firmware and BMCs print of a machine or a part where nobody has told them.

DSP0134 (6.1.3) has the string number 0 for what is not specified, which dmidecode prints as "Not Specified". Much
firmware prints words of its own instead, or a field that nobody has written: all bits 0 or all bits 1.
"""

from __future__ import annotations

import re

_NOTHING = re.compile(
    r"n\W?a|none|null|nil|unknown|unspecified|undefined|empty|default string|bad index|out of spec|o\.?e\.?m\.?"
    r"|no[nt]?[ -]?(?:specified|known|available|applicable|present|installed|provided|populated|supported|set|settable)"
    r"|no[ -]?(?:dimm|memory|module|part)(?: ?(?:installed|present|number|num))*"
    r"|to be filled.*|system (?:manufacturer|product name|version)"
    r"|(?:array ?\d+ )?(?:module ?)?(?:part ?(?:num|number|no)\.?|manufacturer) ?\d*"
    r"|0x0+|0+|(?:0x)?f{2,}|\W*"
)


def stated(text: str | None) -> str | None:
    """Return a part number, maker or model as it is printed; None where the text stands for none."""
    if text is None:
        return None
    words = re.sub(r"[\s_]+", " ", text).strip(" []<>()\"'").casefold()
    return None if _NOTHING.fullmatch(words) else text.strip()
