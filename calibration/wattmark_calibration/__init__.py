"""Pure metrology: specifications, budgets, uncertainty."""
