#pragma once

#include <metasan/export.h>

#include <cstdint>
#include <string>
#include <string_view>

/// The options of the runtime, as generated from options.def. Needs no LibTorch.
///
/// They are read from the environment when the library is loaded, where an error ends the process
/// with a message:
///
///     METASAN_OPTIONS=action=report:log_path=/tmp/metasan ./program
///
/// and can be changed in code:
///
///     auto options = metasan::options();
///     options.action = metasan::Action::Report;
///     metasan::set_options(options);
namespace metasan {

enum class Action : std::uint8_t {
#define METASAN_ACTION(Enumerator, ...) Enumerator,
#include <metasan/options.def>
};

enum class Color : std::uint8_t {
#define METASAN_COLOR(Enumerator, ...) Enumerator,
#include <metasan/options.def>
};

enum class Poison : std::uint8_t {
#define METASAN_POISON(Enumerator, ...) Enumerator,
#include <metasan/options.def>
};

/// One field for each option, with its default; options.def says what they mean.
struct Options {
#define METASAN_OPTION(Name, Type, Default, ...) Type Name = Default;
#include <metasan/options.def>

  bool operator==(const Options&) const = default;
};

/// The options that hold now. Costs one atomic load; what it refers to is never changed and lives
/// as long as the process. Thread safe.
METASAN_API const Options& options();

/// Makes other options hold, for every thread, from the next report on. Throws
/// std::invalid_argument, and changes nothing, when a value is out of range or the suppressions
/// cannot be read. Thread safe.
METASAN_API void set_options(const Options& options);

/// The options of a text such as "action=report:exitcode=0", in the form of METASAN_OPTIONS; those
/// that it leaves out are as in `base`. A value that contains ':' is put in quotes, single or
/// double. Throws std::invalid_argument, which names the nearest option or the values it can have.
///
///     metasan::set_options(metasan::parse_options("action=report:color=never"));
METASAN_API Options parse_options(std::string_view text, const Options& base = {});

}  // namespace metasan
