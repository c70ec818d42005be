"""Power settings of servers: set before a run, verified, undone after it whatever happens."""
