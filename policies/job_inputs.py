"""What a container fetches at its start, though it should be there before."""

import re

_PACKAGES = re.compile(
    r"(?:^|[\s;&|(\"'/])((?:pip3?|uv +pip|conda|mamba|apt|apt-get|yum|dnf)(?: +-\S+)* +install)(?:\s|$)"
)
_SCRIPTS = re.compile(
    r"(?:^|[\s;&|(\"'/])(git(?: +-\S+)* +clone|(?:curl|wget)\s[^;&|\n]*\.(?:py|sh)\b"
    r"|(?:curl|wget)\s[^;&\n]*\| *(?:ba)?sh\b|aws +s3 +cp +s3://\S+\.(?:py|sh)\b)"
)


def fetched(line: str) -> str | None:
    """The command of a line that installs packages or downloads a script; None where there is none.

    Packages from a folder (`--no-index`) are prepared ones.
    """
    found = _SCRIPTS.search(line)
    if found is None and "--no-index" not in line:
        found = _PACKAGES.search(line)
    return " ".join(found[1].split())[:60] if found else None
