"""Django's PostgreSQL backend, over a server that starts when the first connection is asked for."""
