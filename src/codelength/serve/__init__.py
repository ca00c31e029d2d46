"""Local web page: upload a table, choose the column to predict, follow progress, and read the report.

Each module has one task: ``limits`` defines how much is allowed, ``guard`` rejects requests from other
pages, ``state`` holds the tables, the reports and who is admitted, ``uploads`` receives files, ``jobs`` runs
processes that can be cancelled, ``worker`` runs inside such a process, ``inspection`` checks a file before it
is read, ``app`` joins them and renders pages, and ``server`` runs the application.

The server listens on the loopback address only, and its address holds a token that admits once: other users
of the machine and pages of other sites stay outside. Files are opened only in processes with limits of
memory and time, because a file may be damaged, larger than it claims, or made to exhaust its reader. Unlike
a thread, a process can be killed at any moment, so that cancelling is immediate.

Depends on the optional libraries starlette and uvicorn. Only the command ``codelength serve`` imports it.
"""
