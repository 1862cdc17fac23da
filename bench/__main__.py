"""`make bench`: every measurement that needs no data but what the repository brings."""

from __future__ import annotations

import asyncio

from bench import citation_filter, ingestion, ingestion_scale, intent, search, service

print("The citation filter")
citation_filter.main()
print("\nThe intent of a question")
intent.main()
print("\nIngestion")
ingestion.throughput()
ingestion_scale.no_op()
print("\nThe search")
asyncio.run(search.measure())
print("\nThe service")
service.main()
