"""Keys and certificates of one local cluster: an authority of its own, one certificate for all servers on loopback."""

from __future__ import annotations

import datetime
import ipaddress
from functools import partial

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from scripts.sandboxing.cluster.ports import LOOPBACK, SERVICE_NETWORK

_LIFE = datetime.timedelta(days=3650)
_NAMES = ("localhost", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
_USAGE = partial(
    x509.KeyUsage,
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)
_BOTH_WAYS = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])


def key_material() -> tuple[bytes, bytes, bytes, bytes]:
    """PEM texts: the authority's certificate, the servers' certificate, its key, the key that signs service accounts.

    The authority's own key is forgotten at once. The extensions are those that Python 3.13's strict verification asks
    for. The servers' certificate is good for clients too: etcd talks to its holders only, since other users of a shared
    machine must not read the cluster's Secrets there.
    """
    authority, loopback, service_account = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    issuer = _named("eks sandbox CA")
    certificate = partial(_certificate, issuer, authority)
    ca = certificate(
        issuer,
        authority,
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (_USAGE(key_cert_sign=True, crl_sign=True), True),
    )
    api_service = next(ipaddress.IPv4Network(SERVICE_NETWORK).hosts())
    addresses = [x509.IPAddress(address) for address in (ipaddress.IPv4Address(LOOPBACK), api_service)]
    server = certificate(
        _named("eks sandbox on loopback"),
        loopback,
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (_USAGE(key_cert_sign=False, crl_sign=False), True),
        (_BOTH_WAYS, False),
        (x509.SubjectAlternativeName([*map(x509.DNSName, _NAMES), *addresses]), False),
    )
    return ca, server, _pem(loopback), _pem(service_account)


def _certificate(
    issuer: x509.Name,
    authority: ec.EllipticCurvePrivateKey,
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    *extensions: tuple[x509.ExtensionType, bool],
) -> bytes:
    """A certificate for `key`, signed by `authority`; `extensions` are (extension, whether it is critical)."""
    # A day back: the clock of a virtual machine may jump back after a suspend.
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + _LIFE)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _named(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
