// A file driver for HDF5 that writes to an open descriptor and never tells HDF5 of a failed write: HDF5 1.10 crashes
// when it closes a file that it could not write (full disk). The first error is kept aside instead and the
// writes after it are dropped, so that HDF5 closes in peace; the caller looks at the error after each step.
#pragma once

#include <hdf5.h>

namespace taut {

// File access properties for H5Fcreate; the name given there is only a name. `error` receives the first errno and,
// like the descriptor, must stay alive until the file is closed. Negative if HDF5 refuses.
hid_t descriptor_access(int descriptor, int* error);

}  // namespace taut
