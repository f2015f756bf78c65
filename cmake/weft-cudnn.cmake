# Defines weft::cudnn where cuDNN 9 is found: beside the CUDA toolkit, in the system, or in the folder
# that CUDNN_ROOT names. Used by the build and by the installed package alike.
if((DEFINED WEFT_CUDNN AND NOT WEFT_CUDNN) OR NOT TARGET weft::cublas OR TARGET weft::cudnn)
  return()
endif()

find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDNN_ROOT} ${CUDAToolkit_INCLUDE_DIRS}
          PATH_SUFFIXES include)
find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9 HINTS ${CUDNN_ROOT} ${CUDAToolkit_LIBRARY_DIR}
             PATH_SUFFIXES lib lib64)
mark_as_advanced(CUDNN_INCLUDE_DIR CUDNN_LIBRARY)
if(CUDNN_INCLUDE_DIR AND CUDNN_LIBRARY)
  file(STRINGS ${CUDNN_INCLUDE_DIR}/cudnn_version.h weft_cudnn_major REGEX "define CUDNN_MAJOR 9")
  if(weft_cudnn_major)
    add_library(weft::cudnn INTERFACE IMPORTED GLOBAL)
    target_link_libraries(weft::cudnn INTERFACE weft::cublas ${CUDNN_LIBRARY})
    target_include_directories(weft::cudnn SYSTEM INTERFACE ${CUDNN_INCLUDE_DIR})
    target_compile_definitions(weft::cudnn INTERFACE WEFT_CUDNN)
  else()
    message(STATUS "weft: cuDNN in ${CUDNN_INCLUDE_DIR} is not version 9: convolutions on CUDA are "
                   "matrix products")
  endif()
elseif(NOT weft_FIND_QUIETLY)
  message(STATUS "weft: cuDNN not found (CUDNN_ROOT names its folder): on CUDA convolutions are matrix "
                 "products, attention and recurrent layers weft's own")
endif()
