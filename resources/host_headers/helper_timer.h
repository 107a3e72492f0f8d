#pragma once
#include <jitstudio/host.h>
struct StopWatchInterface;
