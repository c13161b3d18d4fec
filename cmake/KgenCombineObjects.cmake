# Joins the objects of a generated folder into one, whose name is known when CMake configures (those of weights are not).
#   cmake -DNAME=<library> -DFOLDER=<dir> -DCOMPILER=<cc> -DOUTPUT=<file> -DTARGET=<triple> -P KgenCombineObjects.cmake
if(NOT EXISTS "${FOLDER}/${NAME}.h")
  message(FATAL_ERROR "kgen_add_library(${NAME}): the library has another name: `library:` of the spec must be ${NAME}")
endif()
file(GLOB objects "${FOLDER}/objects/*.o")
if(NOT objects)
  message(FATAL_ERROR "kgen_add_library(${NAME}): no objects in ${FOLDER}")
endif()
set(target "")
if(TARGET) # of one compiler for many, CMAKE_C_COMPILER_TARGET
  set(target "--target=${TARGET}")
endif()
execute_process(COMMAND "${COMPILER}" ${target} -nostdlib -r -o "${OUTPUT}" ${objects} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "kgen_add_library(${NAME}): the objects cannot be joined")
endif()
