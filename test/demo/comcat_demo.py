"""The host of an event service, with its path, is the argument; prints what ComCat's clients read of it."""
import sys

from csep.utils import comcat
from libcomcat.search import search

largest = {"host": sys.argv[1], "enable_limit": True, "limit": 5, "orderby": "magnitude"}
print("libcomcat")
for event in search(**largest):
    print(f"  {event.getDetailEvent()}")
print("pyCSEP")
for event in comcat.search(**largest):
    print(f"  {event}")
