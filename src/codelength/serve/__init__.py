"""Local web page: upload a table, choose the column to predict, follow progress, and read the report.

Each module has one task: ``limits`` defines how much is allowed, ``guard`` rejects requests from other
pages, ``state`` holds the tables, the reports and who is admitted, ``uploads`` receives files, ``jobs`` runs
processes that can be cancelled, ``worker`` runs inside such a process, ``inspection`` checks a file before it
is read, ``app`` joins them and renders pages, and ``server`` runs the application.
"""
