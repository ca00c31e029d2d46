"""One table, analysed: everything that its report tells, fitted and measured, as plain results."""
