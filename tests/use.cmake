# Tests of weft as its users meet it: the documentation, compile errors, find_package,
# add_subdirectory.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "weft: documentation and compile errors are not tested, python3 not found")
else()
  add_test(NAME docs/operations COMMAND Python3::Interpreter
           ${PROJECT_SOURCE_DIR}/scripts/list_operations.py --check)
  add_test(NAME docs/programs COMMAND Python3::Interpreter
           ${PROJECT_SOURCE_DIR}/scripts/check_docs.py --compiler ${CMAKE_CXX_COMPILER}
           $<IF:$<BOOL:${CMAKE_CUDA_COMPILER}>,--jobs=2,--no-cuda>)
  set_tests_properties(docs/programs PROPERTIES TIMEOUT 1200 PROCESSORS 2)
endif()

# Loops over the elementary functions, as each compiler at hand reports on them.
if(Python3_FOUND)
  add_test(NAME vectorised COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/vectorised.py)
  set_tests_properties(vectorised PROPERTIES TIMEOUT 600)
endif()

# Event files as TensorBoard itself reads them, where its package is installed.
if(WEFT_PYTHON)
  add_executable(write_events tensorboard/write.cpp)
  target_link_libraries(write_events PRIVATE weft_dev)
  add_test(NAME track/tensorboard COMMAND ${WEFT_PYTHON}
           ${CMAKE_CURRENT_SOURCE_DIR}/tensorboard/check.py $<TARGET_FILE:write_events>)
  set_tests_properties(track/tensorboard PROPERTIES SKIP_RETURN_CODE 77)
endif()

# What gdb shows, where there is one.
if(Python3_FOUND)
  add_test(NAME debugger/gdb COMMAND Python3::Interpreter
           ${CMAKE_CURRENT_SOURCE_DIR}/debugger/check.py ${CMAKE_CXX_COMPILER})
  set_tests_properties(debugger/gdb PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME bench/own COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/bench/own.py
           "mean(cast<float>(q) * x, axis(0))" "q int32 64xN" "x float N" --sizes 8,9
           --seconds 0.02 --compiler ${CMAKE_CXX_COMPILER} --out ${CMAKE_CURRENT_BINARY_DIR}/own)
  set_tests_properties(bench/own PROPERTIES
    PASS_REGULAR_EXPRESSION "N = 8 .* us .* GB/s\nN = 9 .*float32 \\(9,\\) on cpu: 1 loop")
endif()

# Programs that must not compile, once for each compiler at hand.
find_program(WEFT_GXX g++)
find_program(WEFT_CLANGXX clang++)
set(WEFT_NVCC ${CMAKE_CUDA_COMPILER})
foreach(compiler GXX CLANGXX NVCC)
  if(Python3_FOUND AND WEFT_${compiler})
    cmake_path(GET WEFT_${compiler} FILENAME name)
    add_test(NAME must_not_compile/${name}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/must_not_compile.py
                     --compiler ${WEFT_${compiler}} --cuda-include "${CUDAToolkit_INCLUDE_DIRS}")
    set_tests_properties(must_not_compile/${name} PROPERTIES TIMEOUT 1200 PROCESSORS 2)
    # In CI about a tenth of the table of mistakes, elsewhere all of it.
    add_test(NAME mistakes/${name}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/mistakes.py
                     --compiler ${WEFT_${compiler}} --cuda-include "${CUDAToolkit_INCLUDE_DIRS}"
                     --every $<IF:$<BOOL:${WEFT_CHEAP}>,10,1>)
    set_tests_properties(mistakes/${name} PROPERTIES TIMEOUT 1800 PROCESSORS 2)
  endif()
endforeach()

# Projects that use weft, configured, built and run on their own.
function(weft_add_consumer name)
  add_test(NAME consumer/${name}
           COMMAND ${CMAKE_CTEST_COMMAND}
                   --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer_${name}
                                    ${CMAKE_CURRENT_BINARY_DIR}/consumer_${name}
                   --build-generator ${CMAKE_GENERATOR} --build-makeprogram ${CMAKE_MAKE_PROGRAM}
                   --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
                                   "-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}"
                                   "-DCMAKE_CUDA_ARCHITECTURES=${CMAKE_CUDA_ARCHITECTURES}" ${ARGN}
                   --test-command consumer)
endfunction()

set(prefix ${CMAKE_CURRENT_BINARY_DIR}/prefix)
add_test(NAME consumer/install
         COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
weft_add_consumer(package -DCMAKE_PREFIX_PATH=${prefix})
weft_add_consumer(subdirectory -DWEFT_SOURCE=${PROJECT_SOURCE_DIR})
set_tests_properties(consumer/install PROPERTIES FIXTURES_SETUP weft_prefix)
set_tests_properties(consumer/package PROPERTIES FIXTURES_REQUIRED weft_prefix)
weft_add_consumer(fetch -DFETCHCONTENT_SOURCE_DIR_WEFT=${PROJECT_SOURCE_DIR})

# The installed package as pkg-config finds it, and weft as one header.
find_program(WEFT_PKG_CONFIG pkg-config)
if(Python3_FOUND)
  add_test(NAME consumer/single_header
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/consumer_alone.py
                   --compiler ${CMAKE_CXX_COMPILER})
  if(WEFT_PKG_CONFIG)
    add_test(NAME consumer/pkg_config
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/consumer_alone.py
                     --compiler ${CMAKE_CXX_COMPILER} --pkg-config ${WEFT_PKG_CONFIG}
                     --prefix ${prefix})
    set_tests_properties(consumer/pkg_config PROPERTIES FIXTURES_REQUIRED weft_prefix)
  endif()
endif()

if(Python3_FOUND)
  add_test(NAME consumer/build_type COMMAND Python3::Interpreter
           ${CMAKE_CURRENT_SOURCE_DIR}/build_type.py ${CMAKE_COMMAND})
endif()

find_program(WEFT_CONAN conan HINTS ${PROJECT_SOURCE_DIR}/build/venv/bin)
if(WEFT_CONAN AND Python3_FOUND)
  add_test(NAME consumer/conan
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/consumer_conan.py
                   ${WEFT_CONAN} ${CMAKE_CURRENT_BINARY_DIR}/consumer_conan)
endif()
