"""The software of a power measurement appliance: full load, wall power, performance per watt with its uncertainty."""
