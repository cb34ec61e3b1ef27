static char help[] =
    "Where PCSYNCFREE takes the threshold of the algorithm yuenyeung from: values, files, the environment, default places.\n\n";

#include <sptrsv_study.h>
#include <sys/stat.h>
#include <unistd.h>
#include "testing.h"

static char Folder[PETSC_MAX_PATH_LEN];

/* Writes a file with the given contents in the folder of this test and returns its path */
static PetscErrorCode Write(const char name[], const char gpu[], const char threshold[], char path[])
{
  FILE *file;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", Folder, name));
  PetscCall(PetscFOpen(PETSC_COMM_SELF, path, "w", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "gpu = %s\nthreshold = %s\n", gpu, threshold));
  PetscCall(PetscFClose(PETSC_COMM_SELF, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetThreshold(PC pc, PetscReal *threshold)
{
  char value[64];

  PetscFunctionBeginUser;
  PetscCall(PCSyncFreeGetOption(pc, "yuenyeung_threshold", value, sizeof(value)));
  PetscCall(PetscOptionsStringToReal(value, threshold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the threshold of a PC with these options after set-up; the last option may take a path */
static PetscErrorCode Ask(Mat A, const char what[], const char said[], const char path[])
{
  PetscOptions   options;
  PC             pc;
  PetscErrorCode ierr;
  PetscReal      threshold;
  const char    *slash, *from;
  char           file[PETSC_MAX_PATH_LEN];
  char           string[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(string, sizeof(string), "%s%s", said, path));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, string));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  ErrorOf(ierr, PCSetUp(pc));
  if (ierr) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", what, ErrorName(ierr)));
  else {
    PetscCall(GetThreshold(pc, &threshold));
    PetscCall(PCSyncFreeGetOption(pc, "yuenyeung_threshold_file", file, sizeof(file)));
    slash = strrchr(file, '/');
    from  = !slash ? threshold > 0 ? "the option" : "the library" : strstr(slash, ".threshold") ? "the default place" : slash + 1;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %g from %s\n", what, (double)threshold, from));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values, options, the environment; a file that is named is read on the host too, where no algorithm needs it */
static PetscErrorCode Named(Mat A)
{
  char one[PETSC_MAX_PATH_LEN], two[PETSC_MAX_PATH_LEN], bad[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(Write("one", "any GPU", "1.5", one));
  PetscCall(Write("two", "any GPU", "2.5", two));
  PetscCall(Write("bad", "any GPU", "many", bad));
  PetscCheck(!unsetenv("SYNCFREE_THRESHOLD_FILE"), PETSC_COMM_SELF, PETSC_ERR_SYS, "unsetenv() failed");
  PetscCall(Ask(A, "nothing said", "", ""));
  PetscCall(Ask(A, "a value", "-pc_syncfree_yuenyeung_threshold 7", ""));
  PetscCall(Ask(A, "a file", "-pc_syncfree_yuenyeung_threshold_file ", one));
  PetscCall(Ask(A, "a file of the other face", "-mat_syncfree_yuenyeung_threshold_file ", one));
  PetscCall(Ask(A, "a value and a file", "-pc_syncfree_yuenyeung_threshold 7 -pc_syncfree_yuenyeung_threshold_file ", one));
  PetscCall(Ask(A, "a value of 0 and a file", "-pc_syncfree_yuenyeung_threshold 0 -pc_syncfree_yuenyeung_threshold_file ", one));
  PetscCheck(!setenv("SYNCFREE_THRESHOLD_FILE", two, 1), PETSC_COMM_SELF, PETSC_ERR_SYS, "setenv() failed");
  PetscCall(Ask(A, "the environment", "", ""));
  PetscCall(Ask(A, "the environment and a value", "-pc_syncfree_yuenyeung_threshold 7", ""));
  PetscCall(Ask(A, "the environment and a file", "-pc_syncfree_yuenyeung_threshold_file ", one));
  PetscCheck(!setenv("SYNCFREE_THRESHOLD_FILE", bad, 1), PETSC_COMM_SELF, PETSC_ERR_SYS, "setenv() failed");
  PetscCall(Ask(A, "the environment names a bad file", "", ""));
  PetscCall(Ask(A, "which a value makes irrelevant", "-pc_syncfree_yuenyeung_threshold 7", ""));
  PetscCheck(!setenv("SYNCFREE_THRESHOLD_FILE", "", 1), PETSC_COMM_SELF, PETSC_ERR_SYS, "setenv() failed");
  PetscCall(Ask(A, "the environment names nothing", "", ""));
  PetscCall(Ask(A, "a bad file", "-pc_syncfree_yuenyeung_threshold_file ", bad));
  PetscCall(Ask(A, "a file that is not there", "-pc_syncfree_yuenyeung_threshold_file /no/such/file", ""));
  PetscCall(Ask(A, "a folder", "-pc_syncfree_yuenyeung_threshold_file ", Folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Setters, and their effect on a second set-up */
static PetscErrorCode Setters(Mat A)
{
  PC             pc;
  char           one[PETSC_MAX_PATH_LEN], two[PETSC_MAX_PATH_LEN];
  char           file[PETSC_MAX_PATH_LEN];
  PetscReal      threshold;
  PetscErrorCode ierr;
  PetscBool      same;

  PetscFunctionBeginUser;
  PetscCall(Write("one", "any GPU", "1.5", one));
  PetscCall(Write("two", "any GPU", "2.5", two));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSyncFreeGetOption(pc, "yuenyeung_threshold_file", file, sizeof(file)));
  PetscCall(Says("no file at first", (PetscBool)!file[0]));
  PetscCall(PCSyncFreeSetOption(pc, "yuenyeung_threshold_file", one));
  PetscCall(PCSyncFreeGetOption(pc, "yuenyeung_threshold_file", file, sizeof(file)));
  PetscCall(PetscStrcmp(file, one, &same));
  PetscCall(Says("the file that was set", same));
  PetscCall(PCSetUp(pc));
  PetscCall(GetThreshold(pc, &threshold));
  PetscCall(Says("its threshold", (PetscBool)(threshold == (PetscReal)1.5)));
  PetscCall(PCSyncFreeSetOption(pc, "yuenyeung_threshold_file", two));
  PetscCall(PCSetUp(pc));
  PetscCall(GetThreshold(pc, &threshold));
  PetscCall(Says("another file's", (PetscBool)(threshold == (PetscReal)2.5)));
  PetscCall(PCSyncFreeSetOption(pc, "yuenyeung_threshold_file", "/no/such/file"));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "then one that is not there: %s\n", ErrorName(ierr)));
  PetscCall(PCSyncFreeSetOption(pc, "yuenyeung_threshold_file", ""));
  PetscCall(PCSetUp(pc));
  PetscCall(GetThreshold(pc, &threshold));
  PetscCall(PCSyncFreeGetOption(pc, "yuenyeung_threshold_file", file, sizeof(file)));
  PetscCall(Says("and none", (PetscBool)(threshold == 0 && !file[0])));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the view of a PC with these options contains these words */
static PetscErrorCode Views(Mat A, const char options[], const char words[])
{
  char        text[8192] = "", what[128];
  FILE       *file       = tmpfile();
  PetscViewer viewer;
  PC          pc;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "tmpfile() failed");
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOptionsPrefix(pc, "view_"));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  text[fread(text, 1, sizeof(text) - 1, file)] = 0;
  (void)fclose(file);
  PetscCall(PetscSNPrintf(what, sizeof(what), "the view says \"%s\"", words));
  PetscCall(Says(what, (PetscBool)(strstr(text, words) != NULL)));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file of the GPU's model in a default place, and files for another model */
static PetscErrorCode OnGPU(Mat A)
{
  static const char yuenyeung[] = "-pc_syncfree_algorithm yuenyeung", view[] = "-view_pc_syncfree_algorithm yuenyeung";
  char              gpu[SPTRSV_NAME_LENGTH], place[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCheck(!sptrsvDeviceName(gpu, sizeof(gpu)), PETSC_COMM_SELF, PETSC_ERR_GPU, "The GPU has no name");
  PetscCall(PetscSNPrintf(place, sizeof(place), "%s/syncfree", Folder));
  PetscCall(PetscMkdir(place));
  PetscCheck(!setenv("XDG_CONFIG_HOME", Folder, 1), PETSC_COMM_SELF, PETSC_ERR_SYS, "setenv() failed");
  PetscCall(Ask(A, "no file in the default place", yuenyeung, ""));
  PetscCall(Views(A, view, "(built in"));
  PetscCheck(!sptrsvThresholdPath(SPTRSV_THRESHOLD_USER, gpu, path, sizeof(path)), PETSC_COMM_SELF, PETSC_ERR_GPU, "Nor has its file");
  PetscCall(PetscSNPrintf(place, sizeof(place), "syncfree/%s", strrchr(path, '/') + 1));
  PetscCall(Write(place, gpu, "4.5", path));
  PetscCall(Ask(A, "a file in the default place", yuenyeung, ""));
  PetscCall(Ask(A, "for another algorithm", "-pc_syncfree_algorithm levelorder", ""));
  PetscCall(Views(A, view, "threshold 4.5 (file)"));
  PetscCall(Views(A, view, "threshold from "));
  PetscCall(Views(A,
                  "-view_pc_syncfree_algorithm split -view_pc_syncfree_split_policy gpu-gpu -view_pc_syncfree_split_level 2 "
                  "-view_pc_syncfree_split_second yuenyeung",
                  "threshold from "));
  PetscCall(Views(A, "-view_pc_syncfree_algorithm yuenyeung -view_pc_syncfree_yuenyeung_threshold 3", "threshold 3 (given)"));
  PetscCall(Write(place, gpu, "none", path));
  PetscCall(Ask(A, "a bad file in the default place", yuenyeung, ""));
  PetscCall(Write("another", "an abacus", "3.5", path));
  PetscCall(Ask(A, "a file for another GPU", "-pc_syncfree_algorithm yuenyeung -pc_syncfree_yuenyeung_threshold_file ", path));
  PetscCall(Ask(A, "which does not matter to others", "-pc_syncfree_algorithm levelorder -pc_syncfree_yuenyeung_threshold_file ", path));
  PetscCall(Ask(A, "nor to the parts of what is not split",
                "-pc_syncfree_algorithm levelorder -pc_syncfree_split_first yuenyeung -pc_syncfree_yuenyeung_threshold_file ", path));
  PetscCall(Ask(A, "but to those of what is",
                "-pc_syncfree_algorithm split -pc_syncfree_split_policy gpu-gpu -pc_syncfree_split_level 2 "
                "-pc_syncfree_split_first yuenyeung -pc_syncfree_yuenyeung_threshold_file ", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool gpu;
  Mat       A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(PetscGetTmp(PETSC_COMM_SELF, Folder, sizeof(Folder)));
  PetscCall(PetscStrlcat(Folder, "/syncfree-XXXXXX", sizeof(Folder)));
  PetscCall(PetscMkdtemp(Folder));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, GRID, 5, &A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &gpu));
  PetscCall(Named(A));
  PetscCall(Setters(A));
  if (gpu) PetscCall(OnGPU(A));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscRMTree(Folder));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
  test:
    suffix: gpu
    requires: cuda
    args: -mat_type aijcusparse

TEST*/
