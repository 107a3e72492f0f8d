#include <cusparse.h>
