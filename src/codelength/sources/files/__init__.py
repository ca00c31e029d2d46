"""Tables in files: CSV, Parquet and JSON through DuckDB, ARFF by hand."""
