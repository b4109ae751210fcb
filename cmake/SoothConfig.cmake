# find_package(Sooth) gives sooth_instrument(TARGET...): builds the targets with Sooth's pass and links its runtime.
# For projects whose compiler is clang 19; with sooth-cc and sooth-c++ as compilers nothing of this is needed.
get_filename_component(_sooth_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(SOOTH_LIBRARY_DIR "${_sooth_prefix}/lib/sooth")
set(SOOTH_INCLUDE_DIR "${_sooth_prefix}/include")
unset(_sooth_prefix)

# sooth_instrument(TARGET... [IGNORELIST FILE...] [CALLS FUNCTION...] [NO_BRANCHES])
# CALLS: functions of which every call is an event, as -fsooth-property=FILE of the compilers has it; names without scopes.
function(sooth_instrument)
  cmake_parse_arguments(PARSE_ARGV 0 arg "NO_BRANCHES" "" "IGNORELIST;CALLS")
  set(pass "${SOOTH_LIBRARY_DIR}/libsooth_pass.so")
  foreach(language C CXX)
    get_property(enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT language IN_LIST enabled)
      continue()
    endif()
    # The wrappers do all of this themselves.
    if(CMAKE_${language}_COMPILER MATCHES "sooth-c(c|\\+\\+)$")
      return()
    endif()
    if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_${language}_COMPILER_VERSION MATCHES "^19\\.")
      message(FATAL_ERROR "sooth_instrument needs clang 19 as the ${language} compiler; this is "
        "${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION} (${CMAKE_${language}_COMPILER}). "
        "Configure with CMAKE_C_COMPILER=sooth-cc and CMAKE_CXX_COMPILER=sooth-c++, or with clang-19 and clang++-19.")
    endif()
  endforeach()
  set(options "-g" "-fpass-plugin=${pass}")
  if(arg_NO_BRANCHES OR arg_IGNORELIST OR arg_CALLS)
    list(APPEND options "SHELL:-Xclang -load" "SHELL:-Xclang ${pass}")
  endif()
  if(arg_NO_BRANCHES)
    list(APPEND options "SHELL:-mllvm -sooth-branches=false")
  endif()
  foreach(file ${arg_IGNORELIST})
    get_filename_component(file "${file}" ABSOLUTE)
    list(APPEND options "SHELL:-mllvm -sooth-ignorelist=${file}")
  endforeach()
  foreach(name ${arg_CALLS})
    list(APPEND options "SHELL:-mllvm -sooth-call=${name}")
  endforeach()
  foreach(target ${arg_UNPARSED_ARGUMENTS})
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL "INTERFACE_LIBRARY")
      message(FATAL_ERROR "sooth_instrument: ${target} compiles nothing; name the targets that use it")
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${options}>")
    target_compile_definitions(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:__SOOTH__=1>")
    target_include_directories(${target} SYSTEM PRIVATE "${SOOTH_INCLUDE_DIR}" "${SOOTH_LIBRARY_DIR}/std")
    # A static library brings the runtime to whoever links it.
    set(link PRIVATE)
    if(kind STREQUAL "STATIC_LIBRARY" OR kind STREQUAL "OBJECT_LIBRARY")
      set(link INTERFACE)
    endif()
    target_link_options(${target} ${link} "LINKER:--push-state,--no-as-needed" "-L${SOOTH_LIBRARY_DIR}" "-lsooth_rt"
      "LINKER:--pop-state" "LINKER:-rpath,${SOOTH_LIBRARY_DIR}")
  endforeach()
endfunction()

# Sooth::sooth: the analysis as a library (<sooth/analysis.h>).
if(NOT TARGET Sooth::sooth)
  add_library(Sooth::sooth SHARED IMPORTED)
  set_target_properties(Sooth::sooth PROPERTIES
    IMPORTED_LOCATION "${SOOTH_LIBRARY_DIR}/libsooth.so"
    INTERFACE_INCLUDE_DIRECTORIES "${SOOTH_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
