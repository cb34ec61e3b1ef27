/* Choices of `auto`: a ring of them. */
#include <pthread.h>
#include "choices.h"

enum { REMEMBERED = 64 };

static SptrsvChoice    remembered[REMEMBERED];
static unsigned        choices;
static pthread_mutex_t remembering = PTHREAD_MUTEX_INITIALIZER;

bool sptrsvChoiceFind(SptrsvChoice *choice)
{
  bool found = false;

  (void)pthread_mutex_lock(&remembering);
  for (unsigned k = 0; !found && k < REMEMBERED && k < choices; k++) {
    found = remembered[k].key == choice->key;
    if (found) *choice = remembered[k];
  }
  (void)pthread_mutex_unlock(&remembering);
  return found;
}

void sptrsvChoiceKeep(const SptrsvChoice *choice)
{
  (void)pthread_mutex_lock(&remembering);
  remembered[choices++ % REMEMBERED] = *choice;
  (void)pthread_mutex_unlock(&remembering);
}
