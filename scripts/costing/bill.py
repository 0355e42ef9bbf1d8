"""What an environment costs: `bill_of` is the way in, for `./scripts/cost` and for the report of a preview.

    environment = load(config["eks-training-platform:environment"], region=region)
    bill = bill_of(environment, region)
    bill.totals["idle"].usd_a_month, bill.totals["idle"].unknown
    changes(bill_of(before, region), bill_of(after, region))

No network is asked. A price that the catalog lacks makes its line None, and every total names what it leaves out.
"""

from __future__ import annotations

from scripts.costing.always_on import always_on_lines
from scripts.costing.data import data_lines
from scripts.costing.lines import Bill
from scripts.costing.pools import pool_lines
from scripts.costing.price_book import CATALOG, PriceBook
from stacks.environment import Environment

NOT_COUNTED = (
    "traffic: gigabytes through NAT gateways and endpoints, between zones, to the internet",
    "requests to S3 and KMS, retrievals, backups and snapshots",
    "logs: control plane, flow logs, access logs, by the gigabyte",
    "taxes, support, Savings Plans and other discounts",
)
"""What no line of a bill has in it."""


def bill_of(environment: Environment, region: str, prices: PriceBook = CATALOG) -> Bill:
    """The lines of an environment in the order: always on, pools, data.

    Args:
        environment: as `stacks.environment.load` returns it.
        region: the stack's `aws:region`. A price of another region is used where there is none, and named in `how`.
        prices: the catalog's, or `scripts.costing.refresh.refreshed`'s answer.
    """
    return Bill(
        region=region,
        lines=(
            *always_on_lines(environment, region, prices),
            *pool_lines(environment, region, prices),
            *data_lines(environment, region, prices),
        ),
    )
