"""Turn any text into one without blanks, for formats whose fields are separated by them, and back."""

from __future__ import annotations

import re

#: What would part a field or be no text, and what would make a comment of a line.
_UNSAFE = re.compile(r"^#|[%\s\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]")
_CODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def escape(text: str) -> str:
    """Return a text with blanks of every kind, control characters and `%` as UTF-8 bytes `%XX`.

    >>> escape("50% tide\\u00a0table")
    '50%25%20tide%C2%A0table'
    """
    return _UNSAFE.sub(lambda found: percent(found.group()), text)


def percent(text: str) -> str:
    """Return every character of a text as its UTF-8 bytes `%XX`."""
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def unescape(text: str) -> str | None:
    """Return the text that was escaped, or None if some `%` is not part of a valid `%XX`.

    >>> unescape("tide%20table"), unescape("50%")
    ('tide table', None)
    """
    if "%" in _CODED.sub("", text):
        return None
    try:
        return _CODED.sub(
            lambda found: bytes.fromhex(found.group().replace("%", "")).decode("utf-8", "surrogatepass"), text
        )
    except UnicodeDecodeError:
        return None
