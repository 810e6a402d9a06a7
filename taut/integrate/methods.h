// Makers of the integrators, one per file.
#pragma once

#include "taut/integrate/integrator.h"

namespace taut {

std::unique_ptr<Integrator> make_euler(const Dynamics& dynamics, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_rk4(const Dynamics& dynamics, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_dopri5(const Dynamics& dynamics, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_symplectic(const Dynamics& dynamics, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_cvode(const Dynamics& dynamics, const IntegratorOptions& options);

}  // namespace taut
