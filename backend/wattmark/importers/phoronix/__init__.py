"""Result files of the Phoronix Test Suite."""
