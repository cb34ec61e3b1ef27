/* AMD: copies to shared memory, which are not asynchronous there */
#pragma once
#define __pipeline_memcpy_async(to, from, size) (void)(*(to) = *(from))
#define __pipeline_commit()                     (void)0
#define __pipeline_wait_prior(left)             (void)0
