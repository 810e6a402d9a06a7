#include "taut/forces/contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

Contact::Contact(const Model& model) : nodes_(model.nodes.size()), ground_(model), collision_(model), rigid_(model) {}

ContactTerms Contact::make_terms() const {
  ContactTerms terms;
  if (presses()) terms.force.assign(4 * nodes_, 0.0);
  terms.collision = collision_.make_terms();
  terms.rigid = rigid_.make_terms();
  return terms;
}

void Contact::apply(const double* x, const double* v, double* f, ContactTerms& terms) const {
  double* const to = terms.keep_forces ? terms.force.data() : f;
  if (terms.keep_forces) std::fill(terms.force.begin(), terms.force.end(), 0.0);
  terms.dissipated_power = ground_.any() ? ground_.apply(x, v, to) : 0.0;
  if (collision_.any()) terms.dissipated_power += collision_.apply(x, v, to, terms.collision);
  if (terms.keep_forces)
    for (std::size_t k = 0; k < terms.rigid.pressed.size(); ++k) terms.force[k + k / 3] += terms.rigid.pressed[k];
  if (terms.keep_forces)
    for (std::size_t i = 0; i < terms.force.size(); ++i) f[i] += terms.force[i];
}

double Contact::longest_step(const double* v) const {
  // Ground: in 0.02 s a falling node dips by 0.5 mm at most between two looks at it.
  double longest = ground_.any() ? 0.02 : std::numeric_limits<double>::infinity();
  if (!collision_.any()) return longest;
  // Rods: none moves farther than the thinnest is thick.
  double fastest = 0.0;
  for (std::size_t i = 0; i < nodes_; ++i) fastest = std::max(fastest, dot3(v + 4 * i, v + 4 * i));
  return fastest > 0.0 ? std::min(longest, collision_.thinnest() / std::sqrt(fastest)) : longest;
}

double Contact::energy(const double* x, const ContactTerms& terms) const {
  return ground_.energy(x) + collision_.energy(x, terms.collision);
}

}  // namespace taut
