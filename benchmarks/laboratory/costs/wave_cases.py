"""WI's three case studies: the parameters of its Table 12. Sizes in MB, times in seconds."""

from __future__ import annotations

from dataclasses import replace

from deltawave.wave.costs import WaveParameters

# 100 queries of 100 probes are 10,000 probes, which fits Figure 5; Table 12 prints 100,000.
SCAM = WaveParameters(7, 56, 78.4, 1686, 3341, 3341, probes=10_000, scans=10, scan_indexes=1)
WEB_SEARCH = WaveParameters(35, 75, 105, 2276, 4678, 4678, probes=340_000)
TPC_D = WaveParameters(100, 600, 627, 8406, 11431, 11431, scans=10)


def scaled(given: WaveParameters, factor: float, add_exponent: float = 1.0) -> WaveParameters:
    """``factor`` times the data per day. Add and Del grow by factor ** ``add_exponent``, the rest by factor."""
    growth = factor**add_exponent
    return replace(
        given,
        packed=given.packed * factor,
        unpacked=given.unpacked * factor,
        bucket=given.bucket * factor,
        build=given.build * factor,
        add=given.add * growth,
        delete=given.delete * growth,
        copy=None if given.copy is None else given.copy * factor,
        smart_copy=None if given.smart_copy is None else given.smart_copy * factor,
    )
