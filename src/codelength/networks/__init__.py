"""Look-up tables, Bayesian networks and exact inference in them: queries and exports use these."""
