"""`python -m deltawave` is the command `deltawave`."""

import sys

from deltawave.cli import main

sys.exit(main())
