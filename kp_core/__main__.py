"""Run the command line: `python -m kp_core COMMAND …`."""

import sys

from kp_core.cli import main

sys.exit(main())
