"""`./scripts/cost ENV --refresh`: today's prices of what an environment uses, from AWS' Pricing API. It only reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from components.catalog.instance_prices import InstancePrice
from components.catalog.price_questions import PriceQuestion, instance_question, service_question
from components.catalog.service_prices import ServicePrice
from scripts.costing.price_book import CATALOG, PriceBook

SHORT_REGION = r"(?:[A-Z]{2,4}[0-9]?-)?"
"""What a usage type begins with outside us-east-1: `USW2-`, `EUC1-`, `EU-`."""


class RefreshError(Exception):
    """AWS cannot be asked at all; the text says what to do."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back for one price."""

    name: str
    before: Decimal | None
    """None: was not known."""
    after: Decimal | None
    """None: stays as it was; `why` says why."""
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Refreshed:
    """The newer prices, alone and before those of the catalog."""

    book: PriceBook
    instances: Sequence[InstancePrice]
    services: Sequence[ServicePrice]
    answers: Sequence[Answer]


class Recorder(PriceBook):
    """A price book that remembers what was looked up, so that exactly that is asked."""

    def __init__(self, book: PriceBook) -> None:
        super().__init__(instances=book.instances, services=book.services)
        object.__setattr__(self, "asked_instances", {})
        object.__setattr__(self, "asked_services", {})

    asked_instances: dict[str, None]
    asked_services: dict[tuple[str, str], None]

    def instance(self, name: str, region: str) -> InstancePrice | None:
        self.asked_instances[name] = None
        return super().instance(name, region)

    def service(self, service: str, item: str, region: str) -> ServicePrice | None:
        self.asked_services[service, item] = None
        return super().service(service, item, region)


def refreshed(
    client: Any,
    region: str,
    *,
    instances: Sequence[str],
    services: Sequence[tuple[str, str]],
    book: PriceBook = CATALOG,
    today: date | None = None,
) -> Refreshed:
    """Ask for each price once. Raises RefreshError when AWS refuses; a price without a clear answer stays the old one.

    Args:
        client: boto3's `pricing`, in one of the regions where it answers.
        region: whose prices.
        instances: EC2 types.
        services: services and items, as `service_prices` names them.
        book: what is known so far.
        today: goes into the prices as the day they were seen.
    """
    day = (today or datetime.now(UTC).date()).isoformat()
    answers: list[Answer] = []
    new_instances: list[InstancePrice] = []
    new_services: list[ServicePrice] = []
    for name in instances:
        old = book.instance(name, region)
        found = _price(client, instance_question(name), region)
        answers.append(_answer(name, old.usd if old else None, found))
        if isinstance(found, _Found):
            new_instances.append(
                InstancePrice(
                    instance_type=name,
                    region=region,
                    usd=found.usd,
                    quality="exact",
                    source_date=found.effective,
                    date_seen=day,
                    source=found.source,
                    note="",
                )
            )
    for service, item in services:
        known = book.service(service, item, region)
        found = _service(client, service, item, region)
        answers.append(_answer(f"{service} {item}", known.usd if known else None, found))
        if isinstance(found, _Found):
            new_services.append(
                ServicePrice(
                    service=service,
                    item=item,
                    region=region,
                    usd=found.usd,
                    unit=known.unit if known else found.unit,
                    quality="exact",
                    source_date=found.effective,
                    date_seen=day,
                    source=found.source,
                    note="",
                )
            )
    newer = PriceBook(
        # A bill takes the first of two prices of one region, so the newer ones come first.
        instances=(*new_instances, *book.instances),
        services=(*new_services, *book.services),
    )
    return Refreshed(book=newer, instances=new_instances, services=new_services, answers=answers)


@dataclass(frozen=True, kw_only=True)
class _Found:
    usd: Decimal
    unit: str
    effective: str
    source: str


def _answer(name: str, before: Decimal | None, found: _Found | str) -> Answer:
    if isinstance(found, _Found):
        return Answer(name=name, before=before, after=found.usd)
    return Answer(name=name, before=before, after=None, why=found)


def _service(client: Any, service: str, item: str, region: str) -> _Found | str:
    question = service_question(service, item)
    if question is None:
        return "not asked: no source says how AWS' price list names it"
    found = _price(client, question, region)
    if question.surcharge_on is None or not isinstance(found, _Found):
        return found
    base = _service(client, service, question.surcharge_on, region)
    return replace(found, usd=found.usd + base.usd) if isinstance(base, _Found) else base


def _price(client: Any, question: PriceQuestion, region: str) -> _Found | str:
    """The one price of the answers that fit; otherwise why there is none."""
    fitting = [found for product in _products(client, question, region) for found in _offers(product, question)]
    amounts = sorted({found.usd for found in fitting})
    if not amounts:
        return f"no answer fits: AWS has no such price in {region}, or names it another way"
    if len(amounts) > 1:
        return f"{len(amounts)} prices fit ({', '.join(f'{usd.normalize():f}' for usd in amounts[:4])}): not taken"
    return fitting[0]


def _products(client: Any, question: PriceQuestion, region: str) -> Iterator[Mapping[str, Any]]:
    filters = {**question.filters, "regionCode": region}
    asked = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in filters.items()]
    token: dict[str, str] = {}
    try:
        while True:
            page = client.get_products(
                ServiceCode=question.service_code, Filters=asked, FormatVersion="aws_v1", MaxResults=100, **token
            )
            yield from (json.loads(text) for text in page["PriceList"])
            if not page.get("NextToken"):
                return
            token = {"NextToken": page["NextToken"]}
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        raise RefreshError(
            f"AWS refused ({code}): {error}. Needed: pricing:GetProducts. Allow it, or run without --refresh: the "
            "catalog's dated prices are then used."
        ) from None
    except BotoCoreError as error:
        raise RefreshError(
            f"AWS cannot be asked: {error} Log in (aws sso login) or name aws:profile, or run without --refresh."
        ) from None


def _offers(product: Mapping[str, Any], question: PriceQuestion) -> Iterator[_Found]:
    attributes = product.get("product", {}).get("attributes", {})
    usage = str(attributes.get("usagetype", ""))
    if question.usage and not re.fullmatch(SHORT_REGION + f"(?:{question.usage})", usage):
        return
    wanted = question.attributes.items()
    if not all(re.fullmatch(pattern, str(attributes.get(name, ""))) for name, pattern in wanted):
        return
    published = product.get("publicationDate", "")
    source = f"AWS Price List API, {question.service_code}, published {published}"
    for term in product.get("terms", {}).get("OnDemand", {}).values():
        for dimension in term.get("priceDimensions", {}).values():
            usd = Decimal(dimension.get("pricePerUnit", {}).get("USD", "0"))
            # Prices by volume: the first step.
            first = dimension.get("beginRange", "0") in ("0", "")
            unit = str(dimension.get("unit", ""))
            if first and usd > 0 and re.fullmatch(question.unit, unit, re.IGNORECASE):
                effective = str(term.get("effectiveDate", ""))[:10]
                yield _Found(usd=usd, unit=unit, effective=effective, source=source)
