// toml++ as this project uses it; include this instead of <toml++/toml.h>.
//
// Two settings matter. Numbers go through std::from_chars: exact, and half of the parse time. And the parser's
// own assertions, which some malformed texts do reach ("[[[", "a=[}"), throw TomlAssertion instead of being an
// abort in debug builds and undefined behaviour in release builds.
#pragma once

namespace taut {

struct TomlAssertion {};

[[noreturn]] inline void throw_toml_assertion() { throw TomlAssertion{}; }

}  // namespace taut

#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_FLOAT_CHARCONV 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expression)                        \
  do {                                                 \
    if (!(expression)) ::taut::throw_toml_assertion(); \
  } while (false)
#define TOML_ASSERT_ASSUME(expression) TOML_ASSERT(expression)
#include <toml++/toml.h>
