# What weft links to; used by the build and by the installed package alike.
find_package(Threads REQUIRED)
