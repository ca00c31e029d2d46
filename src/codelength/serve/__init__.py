"""Local web page: upload a table, choose the column to predict, follow progress, and read the report.

Each module has one task: ``limits`` defines how much is allowed, ``guard`` rejects requests from other pages,
``sessions`` admits users, ``session`` keeps the files of one user apart from those of others, ``uploads``
receives files, ``works`` runs processes that can be cancelled, ``worker`` and ``job`` run inside such a
process, ``inspection`` checks a file before it is read, ``desk`` holds the state of a server, ``pages``
renders HTML, ``app`` joins them, and ``server`` runs the application.
"""
