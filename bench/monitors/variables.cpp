// Linked to programs that have no variables of their own for formulas to name. Nobody writes them.
long monitored_variables[4];
