"""Lists that Python printed, one a line in `printed.txt` → `lists.json`."""

import ast
import json
from pathlib import Path

lines = Path("printed.txt").read_text("utf-8").splitlines()
Path("lists.json").write_text(json.dumps([ast.literal_eval(line) for line in lines]), "utf-8")
