"""A user's own words for messages: names in double braces are filled in. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from duetime.model.errors import Invalid
from duetime.model.notification import Template

NAMES = {
    "subject": "Duetime's own subject",
    "events": "the listed events, one on each line, and how many more there are",
    "number": "how many events there are",
    "rule": "the name of the rule",
    "what": "what the first event is about, such as Schedule 'nightly'",
    "page": "the address of the page, if it is configured",
}
"""What can be filled in."""
_BRACES = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")


def check_template(template: Template) -> None:
    """Raise `Invalid`, with the field, if a template names what there is not."""
    if template.subject is None and template.text is None:
        raise Invalid("A template needs a subject, a text or both.", field="template")
    for field, text in (("subject", template.subject), ("text", template.text)):
        for name in _BRACES.findall(text or ""):
            if name not in NAMES:
                known = ", ".join("{{" + one + "}}" for one in NAMES)
                raise Invalid(f"A template has no '{{{{{name}}}}}'. It can have {known}.", field=f"template.{field}")


def filled(text: str, values: Mapping[str, str]) -> str:
    """Returns a template's text with its names filled in. What is filled in is not read again."""
    return _BRACES.sub(lambda found: values[found.group(1)], text)
