/* The list of all cases. */
#include "cases_parts.h"
#include <cstring>

namespace simt {

void for_each_case(const std::function<void(const std::string &name, const NewCase &create)> &visit)
{
  for (int k = 0; k <= matrix_count(); k++) {
    const bool        all = k < matrix_count();
    const Matrix      A(k);
    const std::string matrix = A.name;
    const AddCase     add    = [&](const std::string &algorithm, const std::string &rest, const std::function<Case *()> &make) {
      const std::string name = algorithm + "/" + rest + matrix;

      visit(name, [=] {
        std::unique_ptr<Case> made(make());
        made->name      = name;
        made->algorithm = algorithm;
        return made;
      });
    };

    if (!A.n || !A.diagonal) continue;
    if (all) add_sweeps(k, add);
    add_factorizations(k, add);
    if (all) add_set_ups(k, add);
    if (all) add_strips(k, add);
    if (all) add_blocks(k, add);
  }
}

const char *algorithm_without_case()
{
  const SptrsvAlgorithm *algorithm;

  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)) != nullptr; k++) {
    const bool elsewhere = algorithm->location == SPTRSV_HOST || !strcmp(algorithm->name, "cusparse"); /* no kernels of the library */

    if (!elsewhere && !has_sweep(algorithm->name)) return algorithm->name;
  }
  return nullptr;
}

} // namespace simt
