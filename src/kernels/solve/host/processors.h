/* Processors for the host's threads. */
#pragma once

/* Whole processors that this process's control group may use, at least 1; 0: no quota is known.  root: in front of all names of files */
int sptrsvQuota(const char *root);
