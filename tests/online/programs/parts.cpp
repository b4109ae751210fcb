// A shared library with variables that properties name.
namespace parts {

int state = 0;
static int hidden = 0;

int set(int value) {
  const int before = hidden;
  state = value;
  hidden = value;
  return before;
}

} // namespace parts

extern "C" int plug(int value) { return parts::set(value); }
