# Writes OUTPUT: one {"name", R"(text)"} row per target file in INPUTS.
set(rows "")
foreach(path IN LISTS INPUTS)
  get_filename_component(name "${path}" NAME_WLE)
  file(READ "${path}" text)
  string(APPEND rows "{\"${name}\", R\"kgen(${text})kgen\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${rows}")
