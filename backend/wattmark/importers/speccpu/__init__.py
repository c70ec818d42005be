"""Results of SPEC CPU2017 with power: text, CSV and raw files."""
