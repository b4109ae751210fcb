/* What sources.cpp calls, compiled without Sooth. */
int outside(int value) { return value; }
void impure(void) {}
int declared_const(int value) { return value; }
void log_value(int value) { (void)value; }
