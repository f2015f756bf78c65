# Defines weft::fftw, for Fourier transforms on the CPU by FFTW (whose licence is the GPL), where its
# libraries for float and double are found; used by the build and by the installed package alike. A
# program takes it by linking it; without it weft's own loops do the work. FFTW_ROOT names the folder of
# an FFTW of one's own.
if((DEFINED WEFT_FFTW AND NOT WEFT_FFTW) OR TARGET weft::fftw)
  return()
endif()

find_path(FFTW_INCLUDE_DIR fftw3.h HINTS ${FFTW_ROOT} PATH_SUFFIXES include)
find_library(FFTW_LIBRARY NAMES fftw3 HINTS ${FFTW_ROOT} PATH_SUFFIXES lib lib64)
find_library(FFTW_FLOAT_LIBRARY NAMES fftw3f HINTS ${FFTW_ROOT} PATH_SUFFIXES lib lib64)
mark_as_advanced(FFTW_INCLUDE_DIR FFTW_LIBRARY FFTW_FLOAT_LIBRARY)
if(FFTW_INCLUDE_DIR AND FFTW_LIBRARY AND FFTW_FLOAT_LIBRARY)
  add_library(weft::fftw INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::fftw INTERFACE weft::weft ${FFTW_LIBRARY} ${FFTW_FLOAT_LIBRARY})
  target_include_directories(weft::fftw SYSTEM INTERFACE ${FFTW_INCLUDE_DIR})
  target_compile_definitions(weft::fftw INTERFACE WEFT_FFTW)
endif()
