#include "haptos/solve/block_matrix.h"
