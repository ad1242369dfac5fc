"""Pages typeset by the tests, with the dirt that a test wants and the text that it expects."""
