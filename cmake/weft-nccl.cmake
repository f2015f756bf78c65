# Defines weft::nccl, for groups of processes on GPUs, where CUDA and NCCL are found; used by the build
# and by the installed package alike. NCCL_ROOT names the folder of a NCCL of one's own.
if((DEFINED WEFT_NCCL AND NOT WEFT_NCCL) OR TARGET weft::nccl OR NOT TARGET weft::cuda)
  return()
endif()

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${NCCL_ROOT} ${CUDAToolkit_LIBRARY_DIR}
             ${CUDAToolkit_LIBRARY_ROOT} PATH_SUFFIXES lib lib64)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
  add_library(weft::nccl INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::nccl INTERFACE weft::cuda ${NCCL_LIBRARY})
  target_include_directories(weft::nccl INTERFACE ${NCCL_INCLUDE_DIR})
  target_compile_definitions(weft::nccl INTERFACE WEFT_NCCL)
endif()
