// What goes into a program and was not compiled with Sooth: object files, archives with such files,
// assembler. Their accesses, and the synchronisation that they make of their own atomic operations,
// are not recorded. So the program carries their names, and every report has them.
//
//     clang -c q.c ; sooth-cc main.o q.o     main.o has the identification `Sooth` in its .comment
//                                            section, q.o has not
//
// Libraries that are found by -l, and what is inside of shared libraries, are not looked at: the
// runtime finds out which loaded objects have hooks.
#pragma once

#include <string>
#include <vector>

namespace sooth::driver {

// The file names, without folders, of those inputs that bring code without hooks.
std::vector<std::string> plain_objects(const std::vector<std::string>& inputs);

// The assembler text of an object with a note that holds these names (capture/plain_note.h).
std::string note_text(const std::vector<std::string>& names);

} // namespace sooth::driver
