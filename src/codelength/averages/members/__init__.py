"""Members of an average: one model class per file, its kernels in a module of the same folder."""
