#!/usr/bin/env python
"""The command line of Dược thư."""

import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from duocthu_site.cluster import EmbeddedServerError


def main() -> int:
    """Run one Django command; a bad setting or trouble with the embedded server is told in a sentence."""
    try:
        execute_from_command_line(sys.argv)
    except (EmbeddedServerError, ImproperlyConfigured) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
