// The loops inside Eigen's products of dense matrices and vectors, compiled once, in product_kernels.cpp: each takes up to
// two seconds in every file that multiplies. Read with the precompiled headers (cmake/options.cmake) by files that are
// compiled for the same processor as the library; never by its users, whose loops may be laid out otherwise.
#pragma once

#include <Eigen/Core>

#define TAUT_PRODUCT_KERNELS(how)                                                                                   \
  how template struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor>,                 \
                                  gebp_traits<double, double>::mr, gebp_traits<double, double>::nr>;                \
  how template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>, \
                                                    RowMajor, false, double,                                        \
                                                    const_blas_data_mapper<double, Index, ColMajor>, false, 0>;     \
  how template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>, \
                                                    RowMajor, false, double,                                        \
                                                    const_blas_data_mapper<double, Index, RowMajor>, false, 1>;     \
  how template struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>, \
                                                    ColMajor, false, double,                                        \
                                                    const_blas_data_mapper<double, Index, RowMajor>, false, 0>;

namespace Eigen::internal {
TAUT_PRODUCT_KERNELS(extern)
}  // namespace Eigen::internal
