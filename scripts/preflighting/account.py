"""Whose account the credentials lead to, and whether it is the one that the file means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Aws, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.placeholders import EXAMPLE_ACCOUNT

_ARN_ACCOUNT = re.compile(r"arn:aws[a-z-]*:iam::(\d{12}):")


def _identity(aws: Aws) -> dict[str, str]:
    answer = aws.sts.get_caller_identity()
    return {"account": answer["Account"], "arn": answer["Arn"]}


IDENTITY: Question[dict[str, str]] = Question(
    about="whose credentials these are", rights="sts:GetCallerIdentity", ask=_identity
)


class Account(Concern):
    """The account is one that `aws:allowedAccountIds` names, and the ARNs of the file lie in it."""

    name = "account"

    def questions(self) -> Sequence[Question[Any]]:
        return [IDENTITY]

    def check(self, answers: Answers) -> Iterator[Finding]:
        identity, allowed = answers[IDENTITY], self.subject.allowed_accounts
        account = identity["account"]
        if not allowed:
            yield self.warning(
                "aws:allowedAccountIds",
                "(not set)",
                f"These credentials are of account {account}. With a wrong profile everything would be made elsewhere.",
                f'add aws:allowedAccountIds: ["{account}"] if that is the one',
            )
        elif account not in allowed:
            yield self.error(
                "aws:allowedAccountIds",
                list(allowed),
                f"The credentials are of account {account} ({identity['arn']}).",
                "log in to the account that is named (AWS_PROFILE, aws sso login), or correct the list",
            )
        named = [("iam.permissionsBoundaryArn", self.environment.iam.permissions_boundary_arn)]
        named += [
            (f"cluster.access[{at}].principal", each.principal)
            for at, each in enumerate(self.environment.cluster.access)
        ]
        for field, arn in named:
            found = _ARN_ACCOUNT.match(arn or "")
            if found and found[1] not in (account, EXAMPLE_ACCOUNT):
                yield self.error(
                    field,
                    arn,
                    f"It is of account {found[1]}, the credentials are of {account}: EKS and IAM take principals and "
                    "boundaries of the cluster's own account.",
                    f"name one of account {account}, or log in to {found[1]}",
                )
