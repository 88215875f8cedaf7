"""Contract ``claims/v1``: claims found or shown by ``tpuguru kb``."""

from tpuguru.report.contracts.answer import ClaimList

CONTRACT = ("claims.v1", ClaimList)
