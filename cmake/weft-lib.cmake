# Defines weft::lib, a static library of what every file with a statement compiles otherwise, and
# weft::lib_cuda for .cu files where the project has the language CUDA. Link one of them in place of
# weft::weft or weft::cuda, in all of a program's files.
option(WEFT_LIB "Build weft::lib, which saves big projects compile time" OFF)
if(NOT WEFT_LIB)
  return()
endif()

add_library(weft_lib STATIC ${PROJECT_SOURCE_DIR}/lib/weft.cpp)
add_library(weft::lib ALIAS weft_lib)
set(libs weft_lib)
if(CMAKE_CUDA_COMPILER AND TARGET weft::cuda)
  add_library(weft_lib_cuda STATIC ${PROJECT_SOURCE_DIR}/lib/weft.cu)
  add_library(weft::lib_cuda ALIAS weft_lib_cuda)
  target_link_libraries(weft_lib_cuda PUBLIC weft::cuda)
  target_compile_definitions(weft_lib_cuda INTERFACE WEFT_LIB WEFT_LIB_CUDA)
  set_target_properties(weft_lib_cuda PROPERTIES EXPORT_NAME lib_cuda)
  list(APPEND libs weft_lib_cuda)
endif()
target_link_libraries(weft_lib PUBLIC weft)
target_compile_definitions(weft_lib INTERFACE WEFT_LIB)
set_target_properties(weft_lib PROPERTIES EXPORT_NAME lib)
set_target_properties(${libs} PROPERTIES POSITION_INDEPENDENT_CODE ON)
install(TARGETS ${libs} EXPORT weft-targets)
