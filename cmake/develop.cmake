# What weft's own tests, examples and benchmarks share; nothing here reaches a user of weft.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(weft_dev INTERFACE)
target_link_libraries(weft_dev INTERFACE weft::weft $<TARGET_NAME_IF_EXISTS:weft::zlib>)
target_compile_definitions(weft_dev INTERFACE WEFT_CHECK_MODELS)
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
                        $<TARGET_NAME_IF_EXISTS:weft::cublas>
                        $<TARGET_NAME_IF_EXISTS:weft::cudnn>
                        $<TARGET_NAME_IF_EXISTS:weft::cufft>
                        $<TARGET_NAME_IF_EXISTS:weft::cusolver>
                        $<TARGET_NAME_IF_EXISTS:weft::cusparse>)

  # Runs a command where a GPU is usable, else says why not and returns ctest's code for "skipped".
  add_executable(on_gpu ${PROJECT_SOURCE_DIR}/tests/on_gpu.cpp)
  target_link_libraries(on_gpu PRIVATE CUDA::cudart)
endif()

# g++ spends a twelfth of its time on collecting garbage, unless it may keep a gigabyte.
if(WEFT_CUDA_CHECK_ONLY AND NOT CMAKE_CUDA_HOST_COMPILER MATCHES "clang")
  set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -Xcompiler=--param=ggc-min-heapsize=1000000")
endif()

# weft_check_only(TARGET): its device code to PTX and hardly optimised, which takes half the time where
# it is compiled to see that it compiles, and never run.
function(weft_check_only target)
  get_target_property(architectures ${target} CUDA_ARCHITECTURES)
  if(architectures STREQUAL "OFF")
    return()
  endif()
  list(TRANSFORM CMAKE_CUDA_ARCHITECTURES APPEND -virtual OUTPUT_VARIABLE architectures)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Ofc=max>)
  endif()
endfunction()

# weft_without_code(TARGET): in CI g++ reads what nvcc leaves for the host and makes no code of it, and nvcc
# leaves the device's code as it would for the linker to optimise, both of which save half the time. There
# are no objects then, so TARGET is a library of objects that nothing links; elsewhere there are, so that
# the next build need not compile them again.
function(weft_without_code target)
  if(WEFT_CHEAP)
    set(architectures "")
    foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
      string(REGEX MATCH "^[0-9]+[af]?" number ${architecture})
      if(NOT number)
        message(FATAL_ERROR "weft: WEFT_CHEAP needs architectures by number, not ${architecture}")
      endif()
      list(APPEND architectures --generate-code=arch=compute_${number},code=[lto_${number}])
    endforeach()
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES OFF)
    # With -rdc=true g++ warns about attributes that it otherwise takes as they are.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${architectures} -rdc=true
      -Xcompiler=-fsyntax-only,-Wno-attributes>)
  endif()
endfunction()

# weft_as_cuda(RESULT SOURCE...): the .cpp sources once more, as CUDA. A source has one language in
# a folder, whatever the target, so each becomes a one-line .cu that includes it.
function(weft_as_cuda result)
  set(wrappers "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    string(REPLACE ${CMAKE_CURRENT_BINARY_DIR}/ "" inside ${source})
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/as_cuda/${inside})
    cmake_path(REPLACE_EXTENSION wrapper LAST_ONLY cu)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${path}\"\n")
    list(APPEND wrappers ${wrapper})
  endforeach()
  set(${result} ${wrappers} PARENT_SCOPE)
endfunction()

# weft_merge(RESULT SIZE SOURCE...): the .cpp sources as fewer that include up to SIZE of them each, in
# namespaces of their own and after all their headers: what they instantiate alike is compiled once,
# which takes half the time. A source that defines anything in weft itself stays alone. The files lie
# in a folder of RESULT's name, which is one for each set.
function(weft_merge result size)
  set(merged "")
  set(rest "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${source} names REGEX "^(namespace weft|WEFT_)")
    if(size LESS 2 OR names)
      list(APPEND merged ${source})
    else()
      list(APPEND rest ${source})
    endif()
  endforeach()
  while(rest)
    list(SUBLIST rest 0 ${size} batch)
    list(REMOVE_ITEM rest ${batch})
    set(headers "")
    set(bodies "")
    foreach(source IN LISTS batch)
      set(path ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      cmake_path(GET path PARENT_PATH folder)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
      file(STRINGS ${path} lines REGEX "^ *# *(include.*(>|hpp\")|if|el|endif)")
      foreach(line IN LISTS lines)
        string(REGEX REPLACE ".*\"(.*)\".*" "${folder}/\\1" beside "${line}")
        if(EXISTS "${beside}")
          set(line "#include \"${beside}\"")
        endif()
        string(APPEND headers "${line}\n")
      endforeach()
      string(MAKE_C_IDENTIFIER merged_${source} namespace)
      string(APPEND bodies "namespace ${namespace} {\n#include \"${path}\"\n}\n")
    endforeach()
    list(GET batch 0 first)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${result}/${first})
    file(CONFIGURE OUTPUT ${file} CONTENT "${headers}${bodies}" @ONLY)
    list(APPEND merged ${file})
  endwhile()
  set(${result} ${merged} PARENT_SCOPE)
endfunction()

# The Python of optional tests: the one that scripts/setup_python.sh has made, or the system's.
find_program(WEFT_PYTHON NAMES python3 HINTS ${PROJECT_SOURCE_DIR}/build/venv/bin
             DOC "Python for tests with nanobind, NumPy and TensorBoard")
