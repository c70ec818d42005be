"""The cold archive: runs of a data folder as Parquet files that are read without wattmark."""
