#include <helper_timer.h>
