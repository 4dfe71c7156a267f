# SPDX-License-Identifier: GPL-3.0-or-later
"""Version of the package, and the library that was installed with it ("": none; an installation replaces this file)."""
VERSION = "0.1.0"
LIBRARY = ""
