"""Energy counters of an HPL run, as the EE HPC working group and Green500 take them."""
