/*
   sptrsv_options.h - The options of the algorithms, and the table that names them; part of sptrsv.h.
*/
#ifndef SPTRSV_OPTIONS_H
#define SPTRSV_OPTIONS_H
#include <stddef.h>

enum {
  SPTRSV_NAME_LENGTH = 256 /* size of a GPU model's name, with the final 0 */
};

/* How rows are aggregated into tasks: Helal et al. (ATA), section III. */
typedef enum {
  SPTRSV_TASKS_CONCURRENCY, /* whole levels until a task has enough rows: Algorithm 3 */
  SPTRSV_TASKS_LOCALITY     /* neighbouring rows: Algorithm 4 */
} SptrsvTaskPolicy;

/* Options of the aggregation into tasks.  All zero: the defaults. */
typedef struct {
  SptrsvTaskPolicy policy;
  int              size;  /* rows in a task, a minimum with CONCURRENCY; 0: by Equations 1 and 2, from measurements on this GPU */
  double           ratio; /* R of Equation 2, without effect if a size is given; 0: 1 */
} SptrsvTaskOptions;

/* What the two sweeps of an ICC0 factor read on the host */
typedef enum {
  SPTRSV_STORED_MEASURED, /* whichever is faster in the first applies, with one thread and rows as they are; else TWICE */
  SPTRSV_STORED_ONCE,     /* both the upper triangle's values; the rows as they are, with one thread unless options say otherwise */
  SPTRSV_STORED_TWICE     /* each its own */
} SptrsvStorage;

/* Topological order that `strips` cuts */
typedef enum {
  SPTRSV_STRIPS_AUTO,        /* natural */
  SPTRSV_STRIPS_NATURAL,     /* of the rows */
  SPTRSV_STRIPS_DEPTH_FIRST, /* a row soon after those that it needs */
  SPTRSV_STRIPS_BRICKS       /* bundles of lines of a grid, found by the distances of entries from the diagonal */
} SptrsvStripsOrder;

/* Order of the unknowns inside a strip */
typedef enum {
  SPTRSV_STRIPS_SCHEDULE_AUTO, /* by level */
  SPTRSV_STRIPS_LEVEL,
  SPTRSV_STRIPS_LIST /* a list schedule: whatever is ready when a model of the sweep comes to it */
} SptrsvStripsSchedule;

/* Options of `strips`.  Zero stands for the default. */
typedef struct {
  int                  rows;  /* of a strip; of a brick, about */
  int                  warps; /* of a team: from 2 to as many as fit */
  SptrsvStripsOrder    order;
  SptrsvStripsSchedule schedule;
  int                  entries; /* of an unknown: rows of more are cut; a power of two up to 16, of which 1 counts as 2 */
} SptrsvStripsOptions;

/* What sweeps go by */
typedef enum {
  SPTRSV_BY_BLOCKS, /* blocks, if they are worth it; on the GPU for the caller, who asks for them: SptrsvBlocks */
  SPTRSV_BY_ROWS
} SptrsvSweepUnit;

/* How plans store the values of a sweep.  Vectors, diagonals and sums have the plan's type. */
typedef enum {
  SPTRSV_PRECISION_OWN,   /* as they are */
  SPTRSV_PRECISION_SINGLE /* rounded to single precision, by algorithms of the trait SPTRSV_STORES_SINGLE; others refuse it */
} SptrsvPrecision;

/* Options of the algorithms.  Zero, or NULL, stands for the default.  sptrsvOptionGet() lists the members and their defaults.  Texts belong
   to the caller; they are read only until the call that is given them returns.  The last three are of studies, and are there without them,
   too. */
typedef struct {
  struct {
    const char *algorithm; /* of the factorization on the GPU: a name of sptrsvFactorAlgorithmGet(); NULL or "auto": by the pattern */
    int         blocks;    /* for the caller, who asks for sptrsvFactorCreateBlocks(): rows of blocks; 1: the matrix's; 0: by entries */
  } factor;
  struct {
    SptrsvSweepUnit blocks;
    SptrsvPrecision precision;
  } sweep;
  struct {
    int budget; /* time that `auto` may take to time plans on the GPU, in sweeps of the fastest; 0: it decides by forecasts alone */
  } choice;
  struct {
    int lanes; /* lanes for each row, a power of two up to sptrsvWarpSize(); of levelset, too */
    int warps; /* number of resident warps */
  } levelorder;
  struct {
    int           window;          /* rows of a window of host-windows */
    int           threads;         /* of host-windows, by default as many as a model expects to pay off; of host-threads at most */
    int           threads_entries; /* entries of a level for each thread of host-threads */
    SptrsvStorage storage;         /* of an ICC0 factor in host-windows */
  } host;
  SptrsvStripsOptions strips;

  struct {
    double threshold; /* minimum mean row length for which whole warps process rows; 0: by the GPU's model */
  } yuenyeung;
  SptrsvTaskOptions ata; /* of the sweeps ata and ata-push, and of the factorization ata */
  struct {
    const char *parameters; /* KEY=VALUE,KEY=VALUE; its row lists the keys */
  } split;
} SptrsvTuning;

/* Type of an option's member of SptrsvTuning */
typedef enum {
  SPTRSV_OPTION_INT,
  SPTRSV_OPTION_POWER,     /* an int, a power of two */
  SPTRSV_OPTION_REAL,      /* a double */
  SPTRSV_OPTION_CHOICE,    /* an enum, by name */
  SPTRSV_OPTION_ALGORITHM, /* a name of sptrsvAlgorithmGet(), or "auto" */
  SPTRSV_OPTION_FACTOR,    /* a name of sptrsvFactorAlgorithmGet(), or "auto" */
  SPTRSV_OPTION_PARAMETERS /* a text, KEY=VALUE,KEY=VALUE */
} SptrsvOptionType;

/* One row of the table of options: a member of SptrsvTuning.  Values are not negative. */
typedef struct SptrsvOption {
  const char        *name;       /* as in -pc_syncfree_NAME */
  const char        *algorithms; /* algorithms that use it */
  const char        *summary;    /* one line */
  SptrsvOptionType   type;
  size_t             offset, size; /* of the member */
  double             most;         /* of numbers, and of the number of a CHOICE: the largest value */
  double             value;        /* INT, REAL: the default number; 0: the default is `rule` */
  const char        *rule;         /* the default in words; NULL: `value` */
  const char        *symbol;       /* the paper's symbol for it; NULL: none */
  int                study;        /* only published methods that "auto" never picks use it */
  const char *const *choices;      /* CHOICE: names of 0, 1, …, NULL after the last */
  const char        *bare;         /* CHOICE: the one that an option without a value means; NULL: the first */

  const struct SptrsvOption *keys; /* PARAMETERS: a row for each key, and one without a name; offsets are in a struct of its own */
} SptrsvOption;

#endif
