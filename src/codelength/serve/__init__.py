"""A local page: drop a table, pick the column to predict, see progress, then the report.

Every file below does one thing: ``limits`` says how much is allowed, ``guard`` refuses requests that do not
come from the page itself, ``sessions`` keeps users and their files apart, ``uploads`` receives files,
``works`` runs processes that can be cancelled, ``worker`` and ``job`` are what happens inside such a process,
``inspection`` looks at a file before it is read, ``pages`` is what people see, ``app`` joins them, and
``server`` runs it.
"""
