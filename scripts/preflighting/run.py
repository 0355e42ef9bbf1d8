"""One run: every concern's questions at once, then every concern's judgement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scripts.findings import Finding, Level, worst_first
from scripts.preflighting.account import IDENTITY, Account
from scripts.preflighting.addons import Addons
from scripts.preflighting.asking import Answers, Aws, Question, Refusal, Session, UnansweredError, ask_all
from scripts.preflighting.buckets import Buckets
from scripts.preflighting.concern import Concern
from scripts.preflighting.database import Database
from scripts.preflighting.efs import Efs
from scripts.preflighting.groups import Groups
from scripts.preflighting.hardware import Hardware
from scripts.preflighting.images import Images
from scripts.preflighting.live import Live
from scripts.preflighting.lustre import Lustre
from scripts.preflighting.offerings import Offerings
from scripts.preflighting.placeholders import Placeholders
from scripts.preflighting.quotas import Quotas
from scripts.preflighting.reach import Reach
from scripts.preflighting.region import Region
from scripts.preflighting.reservations import Reservations
from scripts.preflighting.rights import Rights
from scripts.preflighting.secrets import Secrets
from scripts.preflighting.service_roles import ServiceRoles
from scripts.preflighting.subject import Subject
from scripts.preflighting.subnets import Subnets
from scripts.preflighting.versions import Versions

CONCERNS: tuple[type[Concern], ...] = (
    Placeholders,
    Account,
    Region,
    Reach,
    Rights,
    ServiceRoles,
    Subnets,
    Offerings,
    Hardware,
    Reservations,
    Groups,
    Quotas,
    Images,
    Versions,
    Addons,
    Lustre,
    Efs,
    Buckets,
    Database,
    Secrets,
    Live,
)
Told = Callable[[int, int], None]


def _silent(_done: int, _all: int) -> None:
    """Tells nobody."""


def preflight(subject: Subject, session: Session, told: Told = _silent) -> list[Finding]:
    """Every finding about an environment, worst first.

    Args:
        subject: what is asked about.
        session: a boto3 session.
        told: called after each answer, with how many there are by now and will be.
    """
    concerns = [concern(subject) for concern in CONCERNS]
    by_question: dict[Question[Any], list[str]] = {}
    for concern in concerns:
        for question in concern.questions():
            by_question.setdefault(question, []).append(concern.name)
    if session.get_credentials() is None:
        # Each call would say the same, after a while.
        nobody = _outside(subject, "there are none: no profile, no variables, no role of this machine")
        return worst_first([nobody, *Placeholders(subject).check(Answers({}))])
    answers = ask_all(Aws(session, subject.region), list(by_question), told)
    findings = list(_refused(subject, answers, by_question))
    for concern in concerns:
        findings += _judged(concern, answers)
    return worst_first(findings)


def _judged(concern: Concern, answers: Answers) -> Iterator[Finding]:
    """A concern's findings, as far as its answers reach."""
    try:
        yield from concern.check(answers)
    except UnansweredError:
        return


def _refused(subject: Subject, answers: Answers, asked_by: dict[Question[Any], list[str]]) -> Iterator[Finding]:
    """One finding for each question that AWS did not answer; one for all where nobody was let in."""
    refused = list(answers.refused())
    outside = next((why for _, why in refused if why.bad_credentials), None)
    if outside is not None and answers.maybe(IDENTITY) is None:
        yield _outside(subject, f"{outside.code}: {outside.message}")
        return
    for question, why in refused:
        yield _unanswered(subject, question, why, asked_by[question])


def _outside(subject: Subject, why: str) -> Finding:
    return Finding(
        level=Level.ERROR,
        check=Account.name,
        field="aws:profile",
        seen=subject.profile or "(not set)",
        reason=f"AWS takes no credentials from here ({why}). Nothing else was checked.",
        way_out="log in (aws sso login --profile …), or set AWS_PROFILE or aws:profile",
    )


def _unanswered(subject: Subject, question: Question[Any], why: Refusal, concerns: list[str]) -> Finding:
    said = f"{why.code}: {why.message}" if why.message else why.code
    if why.denied:
        reason, way_out = f"Could not ask {question.about}: the right is missing ({said}).", f"allow {question.rights}"
    elif why.unreachable:
        reason = f"Could not ask {question.about}: AWS' endpoint was not reached ({said})."
        way_out = "check network, proxy and DNS here, and that aws:region has this service"
    else:
        reason = f"Could not ask {question.about} ({said})."
        way_out = "run it again; if it stays, look at what AWS says"
    return Finding(
        level=Level.UNKNOWN,
        check=concerns[0],
        field="aws:region" if why.unreachable else "aws:profile",
        seen=subject.region if why.unreachable else subject.profile or "(not set)",
        reason=f"{reason} Not checked: {', '.join(concerns)}.",
        way_out=way_out,
    )
