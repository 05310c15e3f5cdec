#pragma once

/// Everything MetaSan's runtime offers, in one header.
#include <metasan/bind_checkpoint.h>
#include <metasan/device_map.h>
#include <metasan/dispatch.h>
#include <metasan/empty_init.h>
#include <metasan/errors.h>
#include <metasan/load.h>
#include <metasan/materialize.h>
#include <metasan/offload.h>
#include <metasan/options.h>
#include <metasan/rules.h>
#include <metasan/state.h>
#include <metasan/to_empty.h>
