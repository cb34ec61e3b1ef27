#pragma once
#include <rocprim/iterator/counting_iterator.hpp>

namespace thrust {
using rocprim::counting_iterator;
}
