"""`make bench`: every measurement that needs no data but what the repository brings."""

from __future__ import annotations

from bench import citation_filter, intent, service

print("The citation filter")
citation_filter.main()
print("\nThe intent of a question")
intent.main()
print("\nThe service")
service.main()
