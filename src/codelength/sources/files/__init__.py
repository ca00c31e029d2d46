"""Tables in files: CSV and Parquet through pyarrow, JSON through DuckDB, ARFF by hand."""
