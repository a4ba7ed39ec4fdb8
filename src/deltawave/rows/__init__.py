"""Rows in Arrow's columns, as differencing and MESHJOIN share them: read from Parquet files in place, and hashed."""
