#include <nppdefs.h>
