/* A topological order for strips: the unknown that became ready last goes first. */
#include <stdlib.h>
#include "strips.h"

/* users: row j has the unknowns that need j */
static void take_in_depth(const SptrsvOrdered *unknowns, const SptrsvPattern *users, int *missing, int *stack, int *order)
{
  int depth = 0, taken = 0;

  for (int i = unknowns->n - 1; i >= 0; i--) {
    missing[i] = unknowns->row_ptr[i + 1] - unknowns->row_ptr[i];
    if (!missing[i]) stack[depth++] = i;
  }
  while (depth) {
    const int j = stack[--depth];

    order[taken++] = j;
    for (int e = users->row_ptr[j + 1] - 1; e >= users->row_ptr[j]; e--) {
      const int user = users->col_idx[e];

      if (!--missing[user]) stack[depth++] = user;
    }
  }
}

SptrsvStatus sptrsvDepthFirst(const SptrsvOrdered *unknowns, int *order)
{
  const SptrsvPattern needs = {.n = unknowns->n, .nnz = unknowns->nnz, .row_ptr = unknowns->row_ptr, .col_idx = unknowns->col_idx};
  SptrsvPattern       users = {0};
  int                *source, *missing = NULL, *stack = NULL;
  SptrsvStatus        status = sptrsvPatternTranspose(&needs, &users, &source);

  if (!status) status = sptrsvNew(unknowns->n, &missing);
  if (!status) status = sptrsvNew(unknowns->n, &stack);
  if (!status) take_in_depth(unknowns, &users, missing, stack, order);
  sptrsvPatternFree(&users);
  free(source);
  free(missing);
  free(stack);
  return status;
}
