#include <jitstudio/host.h>
