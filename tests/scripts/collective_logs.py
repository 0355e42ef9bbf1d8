"""Logs of collective tests, in the form that nccl-tests 2.18 and nccom-test print (their README and user guide)."""

from __future__ import annotations


def nccl(
    *, network: str = "AWS Libfabric", busbw: float = 480.5, hosts: tuple[str, ...] = ("w-0", "w-1"), wrong: str = "0"
) -> str:
    """Two hosts of eight H100."""
    ranks = "\n".join(
        f"#  Rank {at:2d} Group  0 Pid {100 + at} on {hosts[at // 8]} device  {at % 8} [0000:53:00] NVIDIA H100"
        for at in range(16)
    )
    return f"""\
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 17179869184 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1
# Using devices
{ranks}
w-0:100:180 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment
w-0:100:180 [0] NCCL INFO Using network {network}
w-1:108:188 [0] NCCL INFO Using network {network}
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    86.49   12.12   22.73      0    85.90   12.21   22.89      0
 17179869184    4294967296     float     sum      -1  67050.1  256.27  {busbw:g} {wrong} 67041.9 256.30 480.57 0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 251.6
"""


NEURON = """\
   size(B)    count(elems)    type    time(us)    algbw(GB/s)    busbw(GB/s)
         8               2    fp32         520           0.00           0.00
2147483648       536870912    fp32       55310          38.83          76.44
Avg bus bandwidth:      12.1GB/s
"""
