"""Part `tokens` of section `platform.slurm`: JWTs for programs that use Slurm's REST API."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from stacks.durations import ACCEPTS, Duration, in_hours_and_minutes, seconds
from stacks.model import Section, says
from stacks.problems import Problem, one_of

MIN_LIFETIME, MAX_LIFETIME = 5 * 60, 720 * 3600
"""The operator signs anew when a fifth is left and looks at most every second; 30 days is long for a password."""
ADMINISTRATORS = ("root", "slurm")
"""Users who may do everything in Slurm."""


class TokenSpec(Section):
    """A token of one user, in a Secret that the operator writes and renews. Key SLURM_JWT holds it."""

    user: Annotated[
        str,
        Field(pattern=r"^[a-z][a-z0-9-]*[a-z0-9]$", max_length=32),
        says(
            "User of Slurm that the token stands for; slurmctld must know it. The Secret is called "
            "<name of the cluster>-token-<user>.",
            "REPLACES",
            change="the Secret of the old user goes; tokens that were read from it hold until they expire",
            replaces=("SlurmTokens",),
            accepts="lower-case letters, digits and inner dashes, 2 to 32 characters; not root and not slurm",
            example="pipeline",
        ),
    ]
    lifetime: Annotated[
        Duration,
        says(
            "How long a token holds. It is renewed when a fifth is left, so a program must read the Secret again.",
            "live",
            change="the next renewal takes it; rotate slurmJwtKey to end tokens at once",
            accepts=f"{ACCEPTS}, from 5m to 720h",
        ),
    ] = "1h"


def token_secret(cluster: str, user: str) -> str:
    """Name of the Secret, and of the Token object."""
    return f"{cluster}-token-{user}"


def check_tokens(path: str, tokens: Sequence[TokenSpec], *, cluster: str, taken: Sequence[str]) -> Iterator[Problem]:
    """Every rule of the list.

    Args:
        path: `platform.slurm.tokens`.
        tokens: the list.
        cluster: Slurm's name.
        taken: names of other Secrets of Slurm, which the operator would write over.
    """
    often = Counter(token.user for token in tokens)
    seen: set[str] = set()
    for position, token in enumerate(tokens):
        where = f"{path}[{position}]"
        if token.user in ADMINISTRATORS:
            yield Problem(
                path=f"{where}.user",
                value=token.user,
                reason="Whoever has this token may do everything in Slurm: end every job, submit as anybody.",
                accepted=f"a user other than {one_of(ADMINISTRATORS)}",
                ways_out=(
                    "name a user of the program's own",
                    "make a short one by hand: scontrol token username=slurm lifespan=300",
                ),
            )
        if often[token.user] > 1 and token.user in seen:
            yield Problem(
                path=f"{where}.user",
                value=token.user,
                reason="The user has a token already, and both would be written into one Secret.",
                accepted="each user once",
                ways_out=("remove this entry", "give the other program a user of its own"),
            )
        seen.add(token.user)
        if not MIN_LIFETIME <= seconds(token.lifetime) <= MAX_LIFETIME:
            yield Problem(
                path=f"{where}.lifetime",
                value=token.lifetime,
                reason="Shorter ones expire before a program reads the next; a longer one is a password that nobody "
                "can take back but by a new key for all.",
                accepted="from " + " to ".join(in_hours_and_minutes(end // 60) for end in (MIN_LIFETIME, MAX_LIFETIME)),
                ways_out=("set lifetime: 1h", "remove the line"),
            )
        secret = token_secret(cluster, token.user)
        if secret in taken:
            yield Problem(
                path=f"{where}.user",
                value=token.user,
                reason=f"Its Secret would be {secret}, which holds another secret of Slurm; the operator would write "
                "over it.",
                accepted=f"a user whose Secret is none of {one_of(taken)}",
                ways_out=("rename the user", "rename the other Secret"),
            )
