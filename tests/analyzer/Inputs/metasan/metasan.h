#pragma once
#include <metasan/dispatch.h>
#include <metasan/empty_init.h>
#include <metasan/load.h>
#include <metasan/state.h>
#include <metasan/to_empty.h>
