// str* and numbers.
// EXPECT: write * >=6
// EXPECT: read * >=10
// EXPECT-OUTPUT: hello world|hello wo|11|3
// EXPECT-OUTPUT: 0 0 llo world rld world
// EXPECT-OUTPUT: a b c
// EXPECT-OUTPUT: 42 -7 2.5 255 rest
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char text[32], part[32], list[] = "a,b;c", numbers[] = "42 -7 2.5 ff rest";

int main(void) {
  char* state = NULL;
  char* rest = numbers;
  strcpy(text, "hello");
  strcat(text, " ");
  strncat(text, "world!", 5);
  strncpy(part, text, 8);
  printf("%s|%s|%zu|%zu\n", text, part, strlen(text), strnlen(text, 3));
  printf("%d %d %s %s %s\n", strcmp(text, "hello world"), strncasecmp(text, "HELLO", 5), strchr(text, 'l'),
         strrchr(text, 'r'), strstr(text, "wor"));
  for (char* token = strtok_r(list, ",;", &state); token != NULL; token = strtok_r(NULL, ",;", &state))
    printf("%s%s", token, *token == 'c' ? "\n" : " ");
  const long first = strtol(rest, &rest, 10);
  const int second = atoi(rest);
  strtol(rest, &rest, 10);
  const double third = strtod(rest, &rest);
  const unsigned long fourth = strtoul(rest, &rest, 16);
  printf("%ld %d %.1f %lu%s\n", first, second, third, fourth, rest);
  return 0;
}
