"""All prices in one place: those of the catalog, or the catalog's with newer ones from AWS before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.catalog import instance_prices, service_prices
from components.catalog.instance_prices import InstancePrice, instance_price
from components.catalog.service_prices import EBS, ServicePrice, price_of

GP3 = "gp3"


@dataclass(frozen=True, kw_only=True)
class PriceBook:
    """Where a bill looks prices up."""

    instances: Sequence[InstancePrice]
    services: Sequence[ServicePrice]

    def instance(self, name: str, region: str) -> InstancePrice | None:
        """Price of an hour, of this region or, said so by itself, of another; None: not known."""
        return instance_price(name, region, self.instances)

    def service(self, service: str, item: str, region: str) -> ServicePrice | None:
        """The same for everything that is no EC2 instance. It fits `stacks.storage_costs` as a look-up."""
        return price_of(service, item, region, self.services)

    def volume(self, region: str) -> ServicePrice | None:
        """Price of a GiB of gp3 a month."""
        return self.service(EBS, GP3, region)


CATALOG = PriceBook(instances=instance_prices.PRICES, services=service_prices.PRICES)
