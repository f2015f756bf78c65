# Defines weft::onednn, for products and convolutions of floats on the CPU by oneDNN, where its library is
# found (Debian's libdnnl-dev; PyPI's onednn-devel has newer ones); used by the build and by the
# installed package alike. A program takes it by linking it. ONEDNN_ROOT names the folder of one's own.
if((DEFINED WEFT_ONEDNN AND NOT WEFT_ONEDNN) OR TARGET weft::onednn)
  return()
endif()

find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.h HINTS ${ONEDNN_ROOT} PATH_SUFFIXES include)
find_library(ONEDNN_LIBRARY NAMES dnnl HINTS ${ONEDNN_ROOT} PATH_SUFFIXES lib lib64)
mark_as_advanced(ONEDNN_INCLUDE_DIR ONEDNN_LIBRARY)
if(ONEDNN_INCLUDE_DIR AND ONEDNN_LIBRARY)
  add_library(weft::onednn INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::onednn INTERFACE weft::weft ${ONEDNN_LIBRARY})
  target_include_directories(weft::onednn SYSTEM INTERFACE ${ONEDNN_INCLUDE_DIR})
  target_compile_definitions(weft::onednn INTERFACE WEFT_ONEDNN)
elseif(NOT weft_FIND_QUIETLY)
  message(STATUS "weft: oneDNN not found (ONEDNN_ROOT names its folder): on the CPU convolutions are "
                 "products by BLAS, or loops")
endif()
