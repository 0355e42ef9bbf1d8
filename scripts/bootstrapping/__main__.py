"""`./scripts/bootstrap-account ENV`: what an account needs before the first `pulumi up`; --apply makes it.

Exit status: 0 printed or in place, 1 AWS refused it, 2 the environment's file or the command line cannot be used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import boto3
import typer
from botocore.exceptions import BotoCoreError, ClientError, WaiterError

from scripts.bootstrap import ROOT
from scripts.bootstrapping.template import Wanted, stack_name, template
from scripts.preflighting.needs import needs_of
from scripts.preflighting.subject import Subject, SubjectError, read
from scripts.telling import fail, say
from stacks.problems import EnvironmentProblems

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)

REFUSED, UNUSABLE = 1, 2
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


@app.command()
def main(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    repository: Annotated[
        str | None, typer.Option(help="owner/name on GitHub, for the two roles of CI. Without it there are none.")
    ] = None,
    issuer: Annotated[
        bool, typer.Option(help="Make GitHub's OIDC provider. An account holds it once: --no-issuer where it is there.")
    ] = True,
    apply: Annotated[bool, typer.Option("--apply", help="Make it, by CloudFormation. Without it nothing is.")] = False,
    stacks: Annotated[Path, typer.Option(help="Folder of the stack files.", hidden=True)] = ROOT / "stacks",
) -> None:
    """The state's bucket, its key and the roles of CI as one CloudFormation template; then what to do next.

    The template goes to standard output, the rest to standard error. Only --apply changes anything.
    """
    if repository is not None and not REPOSITORY.fullmatch(repository):
        fail(f"--repository is {repository!r}: write owner/name, such as example/platform, or leave it out.", UNUSABLE)
    try:
        subject = read(environment, stacks)
    except (SubjectError, EnvironmentProblems) as problem:
        fail(str(problem), UNUSABLE)
    made = template(
        Wanted(
            name=environment,
            region=subject.region,
            environment=subject.environment,
            repository=repository,
            makes_issuer=issuer,
        )
    )
    if not apply:
        print(json.dumps(made, indent=2))
        _say(_by_hand(subject))
        _say(_quotas(subject))
        return
    try:
        outputs = _apply(subject, made)
    except WaiterError as problem:
        reason = f"{problem}. Its events say why: {_events(subject)}"
        fail(f"CloudFormation did not finish {stack_name(environment)}: {reason}", REFUSED)
    except (BotoCoreError, ClientError) as problem:
        fail(f"AWS refused {stack_name(environment)} in {subject.region}: {problem}", REFUSED)
    print(json.dumps(outputs, indent=2))
    _say(_next(subject, outputs))
    _say(_quotas(subject))


def _apply(subject: Subject, made: dict[str, Any]) -> dict[str, str]:
    """Creates the stack or updates it; returns its outputs.

    Raises:
        WaiterError: CloudFormation took it and did not finish.
        ClientError: AWS refused it.
    """
    session = boto3.Session(region_name=subject.region, profile_name=subject.profile)
    if subject.allowed_accounts:
        account = session.client("sts").get_caller_identity()["Account"]
        if account not in subject.allowed_accounts:
            allowed = ", ".join(subject.allowed_accounts)
            fail(
                f"These credentials are of account {account}; aws:allowedAccountIds has {allowed}. Take others, or "
                "correct the file.",
                UNUSABLE,
            )
    client = session.client("cloudformation")
    name = stack_name(subject.name)
    asked = {"StackName": name, "TemplateBody": json.dumps(made), "Capabilities": ["CAPABILITY_IAM"]}
    try:
        client.create_stack(**asked)
        done = "stack_create_complete"
    except client.exceptions.AlreadyExistsException:
        try:
            client.update_stack(**asked)
            done = "stack_update_complete"
        except ClientError as problem:
            if "No updates are to be performed" not in str(problem):
                raise
            done = ""
    if done:
        _say([f"CloudFormation works on {name} in {subject.region} ..."])
        client.get_waiter(done).wait(StackName=name)
    found = client.describe_stacks(StackName=name)["Stacks"][0]
    return {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", [])}


def _events(subject: Subject) -> str:
    return f"aws cloudformation describe-stack-events --region {subject.region} --stack-name {stack_name(subject.name)}"


def _by_hand(subject: Subject) -> Iterator[str]:
    yield ""
    yield "Nothing was made. Read the template, then run this again with --apply, or:"
    yield f"  ./scripts/bootstrap-account {subject.name} > account.json"
    yield f"  aws cloudformation deploy --region {subject.region} --stack-name {stack_name(subject.name)} \\"
    yield "    --template-file account.json --capabilities CAPABILITY_IAM"


def _next(subject: Subject, outputs: dict[str, str]) -> Iterator[str]:
    yield ""
    yield "Next:"
    yield f"  pulumi login '{outputs['BackendUrl']}'"
    yield f"  pulumi stack init {subject.name} --secrets-provider '{outputs['SecretsProvider']}'"
    if "UpRole" in outputs:
        yield "Variables on GitHub (docs/ci.md):"
        yield f"  repository   PULUMI_BACKEND_URL={outputs['BackendUrl']}  AWS_PREVIEW_ROLE={outputs['PreviewRole']}"
        yield f"  environment  {subject.name}: AWS_UP_ROLE={outputs['UpRole']}"


def _quotas(subject: Subject) -> Iterator[str]:
    """What the environment takes at its limits, beside whatever else the account runs."""
    needs, unquoted = needs_of(subject)
    if needs:
        yield ""
        yield "Quotas at the environment's limits; ask where `./scripts/preflight` says that they are short:"
    for quota, taken in needs.items():
        amount = sum(need.amount for need in taken)
        yield f"  # {quota.name}: {amount} {quota.unit}, for {', '.join(need.words for need in taken)}"
        yield (
            f"  aws service-quotas request-service-quota-increase --region {subject.region} "
            f"--service-code {quota.service} --quota-code {quota.code} --desired-value {amount}"
        )
    for each in unquoted:
        yield f"  # {each.field} ({each.seen}): no quota is known; ask AWS"


def _say(lines: Iterator[str] | list[str]) -> None:
    for line in lines:
        say(line)


if __name__ == "__main__":
    app()
