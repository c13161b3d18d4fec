# Fails unless SCRIPT, run by PYTHON, prints exactly the file COMMITTED.
execute_process(COMMAND ${PYTHON} ${SCRIPT} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${SCRIPT} failed: ${status}")
endif()
file(READ ${COMMITTED} committed)
if(NOT printed STREQUAL committed)
  message(FATAL_ERROR "${COMMITTED} is not what ${SCRIPT} prints; run it again")
endif()
