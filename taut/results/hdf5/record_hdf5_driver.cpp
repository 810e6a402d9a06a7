#include "taut/results/hdf5/record_hdf5_driver.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>

namespace taut {
namespace {

struct Target {
  OutputFile* output;
  int* error;
};

struct DescriptorFile {
  H5FD_t base;  // HDF5 keeps its own data here: first member
  Target target;
  haddr_t allocated, end;  // bytes that HDF5 has laid out; bytes written so far
};

DescriptorFile& of(H5FD_t* file) { return *reinterpret_cast<DescriptorFile*>(file); }
const DescriptorFile& of(const H5FD_t* file) { return *reinterpret_cast<const DescriptorFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* target = static_cast<const Target*>(H5Pget_driver_info(access));
  struct stat status {};
  if (target == nullptr || ::fstat(target->output->descriptor(), &status) != 0) return nullptr;
  auto* file = new (std::nothrow) DescriptorFile{{}, *target, 0, static_cast<haddr_t>(status.st_size)};
  return file == nullptr ? nullptr : &file->base;
}

herr_t close_file(H5FD_t* file) {
  delete &of(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  return of(a).target.output->descriptor() - of(b).target.output->descriptor();
}

herr_t query(const H5FD_t*, unsigned long* features) {
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
              H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file).allocated = address;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }

// What lies beyond the end, or was dropped, reads as zeros.
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t n = ::pread(of(file).target.output->descriptor(), bytes, size, static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && *of(file).target.error == 0) *of(file).target.error = errno;
    if (n <= 0) {
      std::memset(bytes, 0, size);
      return 0;
    }
    bytes += n, address += static_cast<haddr_t>(n), size -= static_cast<std::size_t>(n);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  DescriptorFile& f = of(file);
  if (*f.target.error == 0)
    *f.target.error =
        f.target.output->write_at(static_cast<const char*>(buffer), size, static_cast<long long>(address));
  f.end = std::max(f.end, address + size);
  return 0;
}

// The file gets exactly the length that HDF5 has laid out.
herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  DescriptorFile& f = of(file);
  if (f.allocated == f.end) return 0;
  if (*f.target.error == 0 && ::ftruncate(f.target.output->descriptor(), static_cast<off_t>(f.allocated)) != 0)
    *f.target.error = errno;
  f.end = f.allocated;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "taut_descriptor";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(Target);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_end;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  std::fill(std::begin(driver.fl_map), std::end(driver.fl_map), H5FD_MEM_SUPER);
  return driver;
}

}  // namespace

hid_t descriptor_access(OutputFile& output, int* error) {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = H5FDregister(&driver);
  const Target target{&output, error};
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  // Format of HDF5 1.8 and later: the names of 20 000 nodes do not fit an attribute of the older one.
  if (access >= 0 &&
      (H5Pset_driver(access, id, &target) < 0 || H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) < 0)) {
    H5Pclose(access);
    return H5I_INVALID_HID;
  }
  return access;
}

}  // namespace taut
