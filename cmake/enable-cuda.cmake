# Enables the language CUDA where nvcc is found, for the architectures of this machine's GPUs
# (Hopper, sm_90, where there is none).
if(NOT WEFT_CUDA)
  return()
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE status)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  string(REPLACE "." "" architectures "${capabilities}")
  list(REMOVE_DUPLICATES architectures)
  if(NOT status EQUAL 0 OR NOT architectures)
    set(architectures 90)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "GPU architectures to compile for")
endif()

include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  message(STATUS "weft: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, sm_${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "weft: no nvcc found, the CUDA side is not built")
endif()
