# Defines weft::zlib, for programs that read .npz or .gz files, where zlib is found; used by the
# build and by the installed package alike.
find_package(ZLIB QUIET)
if(ZLIB_FOUND AND NOT TARGET weft::zlib)
  add_library(weft::zlib INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::zlib INTERFACE weft::weft ZLIB::ZLIB)
endif()
