"""Members of an average: one model class per file, its kernels beside it."""
