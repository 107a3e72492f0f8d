#include <cusolverDn.h>
