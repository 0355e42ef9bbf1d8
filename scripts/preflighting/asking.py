"""Asking AWS: questions, answers, and what becomes of a question that AWS does not answer.

Every question is started at once, each in a thread of its own, so that the run takes as long as its longest chain of
calls. Judging is apart: a concern's `check` reads answers and calls nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

T = TypeVar("T")

DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthFailure", "403", "Forbidden")
BAD_CREDENTIALS = (
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "UnrecognizedClientException",
    "SignatureDoesNotMatch",
)
PATIENCE = Config(
    connect_timeout=5, read_timeout=30, retries={"mode": "standard", "max_attempts": 3}, max_pool_connections=32
)


class Session(Protocol):
    """What is needed of a boto3 session."""

    def client(self, service_name: str, /, **options: Any) -> Any: ...

    def get_credentials(self) -> Any: ...


class Aws:
    """Clients of one session, one for each service. A boto3 client may be used by many threads, a session may not."""

    def __init__(self, session: Session, region: str) -> None:
        self._session, self._region = session, region
        self._clients: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __getattr__(self, service: str) -> Any:
        """The client of a service: `aws.service_quotas` is that of `service-quotas`."""
        if service.startswith("_"):
            raise AttributeError(service)
        with self._lock:
            if service not in self._clients:
                name = service.replace("_", "-")
                self._clients[service] = self._session.client(name, region_name=self._region, config=PATIENCE)
            return self._clients[service]

    def elsewhere(self, service: str, region: str) -> Any:
        """The client of a service in another region."""
        with self._lock:
            key = f"{service}@{region}"
            if key not in self._clients:
                self._clients[key] = self._session.client(service, region_name=region, config=PATIENCE)
            return self._clients[key]

    def pages(self, service: str, operation: str, key: str, **arguments: Any) -> list[dict[str, Any]]:
        """Everything that a paged call returns under a key."""
        paginator = getattr(self, service).get_paginator(operation)
        return [entry for page in paginator.paginate(**arguments) for entry in page.get(key, ())]


@dataclass(frozen=True, kw_only=True, eq=False)
class Question(Generic[T]):
    """Something to ask AWS: one call, or a chain of calls where one needs the other's answer."""

    about: str
    """What for, as in: could not ask <about>."""
    rights: str
    """The IAM actions that it takes."""
    ask: Callable[[Aws], T]
    absent: tuple[str, ...] = ()
    """Codes of errors by which AWS says that the thing does not exist: an answer, not a refusal."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a question has no answer."""

    code: str
    message: str
    denied: bool = False
    bad_credentials: bool = False
    unreachable: bool = False


class _Absent:
    """The answer that there is no such thing."""


ABSENT = _Absent()


class UnansweredError(Exception):
    """Raised where a check needs an answer that AWS did not give; the question has a finding of its own."""


class Answers:
    """Answers by question; asked is everything that was started."""

    def __init__(self, asked: dict[Question[Any], object]) -> None:
        self._asked = asked

    def __getitem__(self, question: Question[T]) -> T:
        answer = self._asked[question]
        if isinstance(answer, Refusal | _Absent):
            raise UnansweredError(question.about)
        return cast("T", answer)

    def maybe(self, question: Question[T]) -> T | None:
        """The answer, or None where there is none."""
        answer = self._asked.get(question)
        return None if isinstance(answer, Refusal | _Absent) else cast("T | None", answer)

    def is_absent(self, question: Question[Any]) -> bool:
        """Whether AWS says that the thing does not exist."""
        return self._asked.get(question) is ABSENT

    def refused(self) -> Iterator[tuple[Question[Any], Refusal]]:
        for question, answer in self._asked.items():
            if isinstance(answer, Refusal):
                yield question, answer


def ask_all(aws: Aws, questions: Sequence[Question[Any]], told: Callable[[int, int], None]) -> Answers:
    """Ask everything at once.

    Args:
        aws: the clients.
        questions: all of them.
        told: called after each answer, with how many there are by now and will be.
    """
    if not questions:
        return Answers({})
    with ThreadPoolExecutor(max_workers=len(questions), thread_name_prefix="preflight") as pool:
        running: dict[Future[object], Question[Any]] = {pool.submit(_answer, aws, each): each for each in questions}
        found: dict[Question[Any], object] = {}
        for future in as_completed(running):
            found[running[future]] = future.result()
            told(len(found), len(questions))
    return Answers({question: found[question] for question in questions})


def _answer(aws: Aws, question: Question[Any]) -> object:
    try:
        return question.ask(aws)
    except ClientError as error:
        return ABSENT if code_of(error) in question.absent else refusal(error)
    except NoCredentialsError as error:
        return Refusal(code="NoCredentials", message=one_line(error), bad_credentials=True)
    except BotoCoreError as error:
        name = type(error).__name__
        unreachable = any(word in name for word in ("Endpoint", "Timeout", "Connection", "SSL", "Proxy"))
        login = any(word in name for word in ("Credential", "Token", "SSO", "Profile"))
        return Refusal(code=name, message=one_line(error), bad_credentials=login, unreachable=unreachable)


def code_of(error: ClientError) -> str:
    """AWS' code of an error."""
    return str(error.response.get("Error", {}).get("Code", ""))


def refusal(error: ClientError) -> Refusal:
    """A refusal of AWS."""
    code = code_of(error)
    message = one_line(error.response.get("Error", {}).get("Message", ""))
    return Refusal(code=code, message=message, denied=code in DENIED, bad_credentials=code in BAD_CREDENTIALS)


def one_line(text: object, limit: int = 240) -> str:
    """A message of AWS on one line, without the encoded part that nobody reads."""
    line = " ".join(str(text).split("Encoded authorization failure message")[0].split()).rstrip(".")
    return line if len(line) <= limit else line[: limit - 1] + "…"
