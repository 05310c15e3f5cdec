// The real one: it needs nothing.
#include "../../../../include/metasan/annotations.h"
