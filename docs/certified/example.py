"""Answer the certified set for one measure, P@k, with the plainest rules: a script of ten lines to start from."""

import json
import sys

for line in sys.stdin:
    case = json.loads(line)
    name, _, k = case["measure"].partition("@")
    if name != "P" or not k.isdecimal() or "lists" not in case or "subset" in case:
        print("-")  # not done here
        continue
    values = []
    for document, gold in case["gold"].items():
        found = case["lists"].get(document, [])[: int(k)]
        values.append(sum(phrase in gold for phrase in found) / int(k))
    print(sum(values) / len(values))
