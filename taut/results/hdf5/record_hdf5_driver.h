// A file driver for HDF5 that writes to a file of results and never tells HDF5 of a failed write: HDF5 1.10 crashes
// when it closes a file that it could not write (full disk). The first error is kept aside instead and the
// writes after it are dropped, so that HDF5 closes in peace; the caller looks at the error after each step.
#pragma once

#include <hdf5.h>

#include "taut/results/output_dir.h"

namespace taut {

// File access properties for H5Fcreate; the name given there is only a name. `error` receives the first errno and,
// like the file, must stay alive until HDF5 has closed it. Negative if HDF5 refuses.
hid_t descriptor_access(OutputFile& output, int* error);

}  // namespace taut
