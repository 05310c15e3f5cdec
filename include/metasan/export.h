#pragma once

/// METASAN_API marks what the shared library MetaSan::runtime exports; everything else is hidden.
#if defined(_WIN32)
#define METASAN_API
#else
#define METASAN_API __attribute__((visibility("default")))
#endif
