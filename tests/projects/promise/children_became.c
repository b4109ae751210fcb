// Children: the program itself becomes another one, which was not built with Sooth: nothing is
// known of what that does.
#include <unistd.h>
int main(void) { execlp("true", "true", (char*)NULL); }
