# Writes the man page of kgen from what it says of itself.
#   cmake -DKGEN=<kgen> -DOUTPUT=<kgen.1> -P KgenManPage.cmake
execute_process(COMMAND "${KGEN}" --help-all OUTPUT_VARIABLE help RESULT_VARIABLE failed)
execute_process(COMMAND "${KGEN}" --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "'${KGEN} --help-all' failed: ${failed}")
endif()
string(REGEX REPLACE "^kgen ([^ ]*).*" "\\1" version "${version}")
# To troff a backslash begins an escape, and so do a dot and a quote at the beginning of a line; its hyphens are no minus signs.
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" help "${help}")
set(page ".TH KGEN 1 \"\" \"kgen ${version}\" \"User Commands\"
.SH NAME
kgen \\- compile model graphs to plain C static libraries
.SH SYNOPSIS
.B kgen
.I COMMAND
[\\fIOPTIONS\\fR]
.SH DESCRIPTION
.nf
${help}
.fi
.SH SEE ALSO
The documentation in /usr/share/doc/kgen.
")
file(WRITE "${OUTPUT}" "${page}")
