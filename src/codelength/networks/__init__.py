"""Look-up tables, Bayesian networks and exact inference, for queries and exports."""
