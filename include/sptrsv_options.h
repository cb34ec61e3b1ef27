/*
   sptrsv_options.h - What can be set of each algorithm, and the table that names it; part of sptrsv.h.
*/
#ifndef SPTRSV_OPTIONS_H
#define SPTRSV_OPTIONS_H
#include <stddef.h>

enum {
  SPTRSV_NAME_LENGTH = 256, /* of a GPU's model, the end included */
  SPTRSV_PATH_LENGTH = 4096 /* of a file's name */
};

/* How rows are put together into tasks: Helal et al. (ATA), section III.  All zero: the defaults. */
typedef enum {
  SPTRSV_TASKS_CONCURRENCY, /* whole levels, until there are enough rows: Algorithm 3 */
  SPTRSV_TASKS_LOCALITY     /* neighbouring rows: Algorithm 4 */
} SptrsvTaskPolicy;
typedef struct {
  SptrsvTaskPolicy policy;
  int              size;  /* rows in a task, for CONCURRENCY at least; 0: by Equations 1 and 2, measured on this GPU */
  double           ratio; /* R of Equation 2, which has no part in a given size; 0: 1 */
} SptrsvTaskOptions;

/* Who does a split sweep: the whole of it, or its first levels and then the others.  On the host there is only the CPU. */
typedef enum {
  SPTRSV_SPLIT_AUTO,
  SPTRSV_SPLIT_CPU, /* unified */
  SPTRSV_SPLIT_GPU, /* unified */
  SPTRSV_SPLIT_CPU_GPU,
  SPTRSV_SPLIT_GPU_CPU,
  SPTRSV_SPLIT_CPU_CPU,
  SPTRSV_SPLIT_GPU_GPU
} SptrsvSplitPolicy;

/* Options of `split`.  Zero stands for the default, which is the value of Ahmad, Yilmaz and Unat where a letter of theirs is named.
   A level is parallel-friendly if it has at least `parallel_rows` rows, and else serial-friendly. */
typedef struct {
  SptrsvSplitPolicy policy;
  int               level;              /* levels of the first part, for a policy of two parts; 0: the policy's own rule */
  const char       *first, *second;     /* algorithm of either part, of the part's memory; NULL: by policy */
  int               min_levels;         /* t = 40: up to so many levels there is no split over CPU and GPU */
  int               min_rows;           /* s = 10000: below so many rows neither */
  int               parallel_rows;      /* m = 200 */
  double            serial_levels;      /* u = 10 %: serial-friendly levels that it takes, of all levels */
  double            parallel_share;     /* v = 60 %: rows in parallel-friendly levels that it takes, of all rows */
  double            gpu_serial_levels;  /* a = 10 %: most serial-friendly levels in the GPU's part, of all such levels */
  double            gpu_parallel_share; /* b = 85 %: least rows of parallel-friendly levels in the GPU's part, of all such rows */
  int               column_rounds;      /* c = 100: least saving of GPU-GPU, in rounds of a warp over the longest column */
  int               row_rounds;         /* d = 75: rows of so many rounds belong to the first part of GPU-GPU */
  int               good_rows;          /* n_good = 10: CPU-CPU cuts behind a level of at least so many rows ... */
  double            bad_share;          /* f_bad = 1 %: ... up to which at most this share of the rows is in smaller ones */
} SptrsvSplitOptions;

/* How a factorization on the GPU is done */
typedef enum {
  SPTRSV_FACTOR_AUTO, /* entries */
  SPTRSV_FACTOR_ENTRIES, /* entry by entry, each waiting for those that it needs (doc/algorithms/ilu0.md) */
  SPTRSV_FACTOR_ATA /* rows put together into tasks: Helal et al. (ATA), Algorithm 5 */
} SptrsvFactorAlgorithm;

/* What can be set of each algorithm.  Zero, or an empty string, stands for the default, which is a rule where no number is named.
   sptrsvOptionGet() lists the members. */
typedef struct {
  struct {
    SptrsvFactorAlgorithm algorithm;
  } factor;
  struct {
    int lanes; /* for each row, a power of two up to sptrsvWarpSize() */
    int warps; /* resident at once */
  } levelorder;
  struct {
    double threshold;                          /* mean row length from which rows go to whole warps */
    char   threshold_file[SPTRSV_PATH_LENGTH]; /* the file that the threshold comes from */
  } yuenyeung;
  struct {
    int threads;         /* at most; default: as many as the process may use processors */
    int threads_entries; /* entries of a level for which another thread is worth while */
  } host;
  SptrsvTaskOptions  ata; /* ata and ata-push, and the factorization by ata */
  SptrsvSplitOptions split;
} SptrsvTuning;

typedef enum {
  SPTRSV_OPTION_INT,
  SPTRSV_OPTION_POWER,     /* an int, a power of two */
  SPTRSV_OPTION_REAL,      /* a double */
  SPTRSV_OPTION_CHOICE,    /* an enum, by name */
  SPTRSV_OPTION_ALGORITHM, /* a name of the table of algorithms, or "auto" */
  SPTRSV_OPTION_FILE       /* the name of a file */
} SptrsvOptionType;

/* One row of the table of options: a member of SptrsvTuning.  Numbers are not negative. */
typedef struct {
  const char        *name;       /* as in -pc_syncfree_NAME */
  const char        *algorithms; /* that heed it */
  const char        *summary;    /* one line */
  SptrsvOptionType   type;
  size_t             offset, size; /* of the member */
  double             most;         /* INT, POWER, REAL: the largest value */
  double             value;        /* INT, REAL: what zero stands for; 0: the rule below */
  const char        *rule;         /* what zero stands for */
  const char        *symbol;       /* in the paper; NULL: none */
  const char *const *choices;      /* CHOICE: names of 0, 1, …, NULL after the last */
  const char        *former;       /* its name before 0.1; NULL: the same */
} SptrsvOption;

#endif
