/* A topological order for strips: the unknown that became ready last goes first. */
#include <stdlib.h>
#include <string.h>
#include "strips.h"

/* users of unknown j: user[first[j]] … user[first[j + 1] - 1], ascending */
static void list_users(const SptrsvOrdered *unknowns, int *first, int *user)
{
  for (int e = 0; e < unknowns->nnz; e++) first[unknowns->col_idx[e] + 1]++;
  for (int j = 0; j < unknowns->n; j++) first[j + 1] += first[j];
  for (int i = unknowns->n - 1; i >= 0; i--) { /* fills from the ends, which become the beginnings */
    for (int e = unknowns->row_ptr[i]; e < unknowns->row_ptr[i + 1]; e++) user[--first[unknowns->col_idx[e] + 1]] = i;
  }
  memmove(first, first + 1, (size_t)unknowns->n * sizeof(*first));
  first[unknowns->n] = unknowns->nnz;
}

static void take_in_depth(const SptrsvOrdered *unknowns, const int *first, const int *user, int *missing, int *stack, int *order)
{
  int depth = 0, taken = 0;

  for (int i = unknowns->n - 1; i >= 0; i--) {
    missing[i] = unknowns->row_ptr[i + 1] - unknowns->row_ptr[i];
    if (!missing[i]) stack[depth++] = i;
  }
  while (depth) {
    const int j = stack[--depth];

    order[taken++] = j;
    for (int u = first[j + 1] - 1; u >= first[j]; u--) {
      if (!--missing[user[u]]) stack[depth++] = user[u];
    }
  }
}

SptrsvStatus sptrsvDepthFirst(const SptrsvOrdered *unknowns, int *order)
{
  int         *first = NULL, *user = NULL, *missing = NULL, *stack = NULL;
  SptrsvStatus status = sptrsvNew(unknowns->n + 2, &first);

  if (!status) status = sptrsvNew(unknowns->nnz, &user);
  if (!status) status = sptrsvNew(unknowns->n, &missing);
  if (!status) status = sptrsvNew(unknowns->n, &stack);
  if (!status) {
    list_users(unknowns, first, user);
    take_in_depth(unknowns, first, user, missing, stack, order);
  }
  free(first);
  free(user);
  free(missing);
  free(stack);
  return status;
}
