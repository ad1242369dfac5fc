"""The language model behind one protocol, and what reaches it over the network."""
