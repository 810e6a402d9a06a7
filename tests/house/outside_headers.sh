#!/bin/sh
# outside_headers.sh SOURCE: headers of SUNDIALS, HDF5, SPQR, zlib, MPI and CUDA appear only in files named after them,
# those of CLI11 only in command_line.cpp, so that each of these libraries can be replaced in one place.
set -eu
cd "$1"

find taut apps -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -exec awk '
  BEGIN {
    header["SUNDIALS"] = "^(cvodes?|idas?|kinsol|arkode|nvector|sunmatrix|sunlinsol|sunnonlinsol|sundials)/"
    header["HDF5"] = "^(hdf5|hdf5_hl|H5[A-Za-z]*)\\.h"
    header["SPQR"] = "^(suitesparse/)?(SuiteSparseQR|spqr|cholmod)"
    header["zlib"] = "^z(lib|conf)\\.h"
    header["MPI"] = "^mpi\\.h"
    header["CUDA"] = "^(cuda|cub/|cublas|cusparse|cusolver|curand|thrust/|device_launch_parameters)"
    header["CLI11"] = "^CLI/"
    file["SUNDIALS"] = "(^|_)(cvode|ida|sundials)(_|\\.)"
    file["HDF5"] = "(^|_)hdf5(_|\\.)"
    file["SPQR"] = "(^|_)spqr(_|\\.)"
    file["zlib"] = "(^|_)zlib(_|\\.)"
    file["MPI"] = "(^|_)mpi(_|\\.)"
    file["CUDA"] = "(^|_)cuda(_|\\.)"
    file["CLI11"] = "^command_line\\.cpp$"
  }
  FNR == 1 {
    base = FILENAME
    sub(/.*\//, "", base)
  }
  /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    split($0, name, /[<">]/)
    for (library in header) {
      if (name[2] ~ header[library] && base !~ file[library]) {
        printf "%s:%d: <%s> belongs to %s: only files named after it include it\n", FILENAME, FNR, name[2], library
        bad = 1
      }
    }
  }
  END { exit bad }
' {} +
