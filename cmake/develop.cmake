# What weft's own tests, examples and benchmarks share; nothing here reaches a user of weft.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(weft_dev INTERFACE)
target_link_libraries(weft_dev INTERFACE weft::weft $<TARGET_NAME_IF_EXISTS:weft::zlib>)
target_compile_options(weft_dev INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${WEFT_WERROR}>:-Werror>>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra
    $<$<BOOL:${WEFT_WERROR}>:-Werror=all-warnings>>)

# nvcc puts its own -O after whatever -Xcompiler says, so that it has to go.
function(weft_cuda_host_unoptimised)
  foreach(configuration RELEASE RELWITHDEBINFO)
    string(REGEX REPLACE "-O[1-3]" "" flags "${CMAKE_CUDA_FLAGS_${configuration}}")
    set(CMAKE_CUDA_FLAGS_${configuration} "${flags}" PARENT_SCOPE)
  endforeach()
endfunction()

if(WEFT_CUDA_CHECK_ONLY)
  weft_cuda_host_unoptimised()
endif()

if(CMAKE_CUDA_COMPILER AND TARGET weft::cuda)
  add_library(weft_dev_cuda INTERFACE)
  target_link_libraries(weft_dev_cuda INTERFACE weft_dev weft::cuda
                        $<TARGET_NAME_IF_EXISTS:weft::cublas>)

  # Runs a command where a GPU is usable, else says why not and returns ctest's code for "skipped".
  add_executable(on_gpu ${PROJECT_SOURCE_DIR}/tests/on_gpu.cpp)
  target_link_libraries(on_gpu PRIVATE CUDA::cudart)
endif()

# weft_as_cuda(RESULT SOURCE...): the .cpp sources once more, as CUDA. A source has one language in
# a folder, whatever the target, so each becomes a one-line .cu that includes it.
function(weft_as_cuda result)
  set(wrappers "")
  foreach(source IN LISTS ARGN)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/as_cuda/${source})
    cmake_path(REPLACE_EXTENSION wrapper LAST_ONLY cu)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
    list(APPEND wrappers ${wrapper})
  endforeach()
  set(${result} ${wrappers} PARENT_SCOPE)
endfunction()
