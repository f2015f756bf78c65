# Headers only; the archive is that of the release.
vcpkg_download_distfile(archive
  URLS "https://example.invalid/weft/weft-${VERSION}.tar.gz"  # the release's address
  FILENAME "weft-${VERSION}.tar.gz"
  SHA512 0)                                                   # and its checksum
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DWEFT_DEVELOP=OFF -DWEFT_CUDA=OFF -DWEFT_BLAS=OFF -DWEFT_LAPACK=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weft)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug" "${CURRENT_PACKAGES_DIR}/lib")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
