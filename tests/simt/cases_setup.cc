/* Cases of set-up steps with an answer of their own: levels, transposes, statistics, cut rows, fill, groups of rows. */
#include "cases_parts.h"
#include "../../src/kernels/analysis/adjacency.cuh"
#include "../../src/kernels/studies/yuenyeung/yuenyeung.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include "../kernels/cut_rows.h"
}

namespace simt {

namespace {

/* Of all four sweeps, by one method.  An error may need several threads in one order, and is rare: more seeds. */
class Levels : public AnalysisCase {
public:
  Levels(int matrix, SptrsvLevelMethod method) : AnalysisCase(matrix), method(method) { depth = 4; }

  bool open() override
  {
    const SptrsvCsr csr  = zoo_csr(&A);
    SptrsvAnalysis  host = nullptr;
    const bool      good = expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, nullptr, &host)) &&
                      expect(levels(host, SPTRSV_LEVELS_HOST_ROWS, first).empty(), "no levels on the host");

    (void)sptrsvAnalysisDestroy(&host);
    return good && AnalysisCase::open();
  }

  std::string run() override
  {
    std::vector<int32_t> now;
    const std::string    what = levels(analysis, method, now);

    return !what.empty() ? what : now == first ? "" : "other levels than on the host";
  }

private:
  std::string levels(SptrsvAnalysis of, SptrsvLevelMethod by, std::vector<int32_t> &level) const
  {
    SptrsvStatus status = SPTRSV_SUCCESS;

    level.assign((size_t)A.n * 4, -1);
    for (int k = 0; k < 4 && !status; k++) {
      status = sptrsvAnalysisComputeLevels(of, triangles[k], operations[k], by, level.data() + (size_t)A.n * k, nullptr);
    }
    return said(status);
  }

  SptrsvLevelMethod    method;
  std::vector<int32_t> first;
};

/* An analysis made anew in each run, against the host's */
class Anew : public AnalysisCase {
public:
  using AnalysisCase::AnalysisCase;

  bool open() override
  {
    const SptrsvCsr csr  = zoo_csr(&A);
    SptrsvAnalysis  host = nullptr;
    const bool      good = expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, nullptr, &host)) && expect_success(gather(host, &first));

    (void)sptrsvAnalysisDestroy(&host);
    return good && AnalysisCase::open();
  }

  std::string run() override
  {
    std::string now;

    close();
    SptrsvStatus status = create();
    if (!status) status = gather(analysis, &now);
    return status ? said(status) : now == first ? "" : "another analysis than on the host";
  }

private:
  virtual SptrsvStatus gather(SptrsvAnalysis of, std::string *bits) const = 0;

  std::string first;
};

/* Levels and statistics of all four sweeps */
class Statistics : public Anew {
public:
  using Anew::Anew;

private:
  SptrsvStatus gather(SptrsvAnalysis of, std::string *bits) const override
  {
    SptrsvStatistics statistics = {};
    const int32_t   *level      = nullptr;

    for (int k = 0; k < 4; k++) {
      SPTRSV_TRY(sptrsvAnalysisGetStatistics(of, triangles[k], operations[k], &statistics));
      SPTRSV_TRY(sptrsvAnalysisGetLevels(of, triangles[k], operations[k], &level));
      bits->append((const char *)&statistics, sizeof(statistics));
      bits->append((const char *)level, (size_t)A.n * sizeof(*level));
    }
    return SPTRSV_SUCCESS;
  }
};

/* Rows of all four sweeps, those of more than MOST entries cut */
class Cut : public Anew {
public:
  using Anew::Anew;

private:
  static constexpr int MOST = 3;

  SptrsvStatus gather(SptrsvAnalysis of, std::string *bits) const override
  {
    for (int k = 0; k < 4; k++) SPTRSV_TRY(of->location == SPTRSV_DEVICE ? on_device(of, k, bits) : on_host(of, k, bits));
    return SPTRSV_SUCCESS;
  }

  static SptrsvStatus on_device(SptrsvAnalysis of, int k, std::string *bits)
  {
    const SptrsvCut &cut = of->cut;

    SPTRSV_TRY(sptrsvDeviceCut(of, triangles[k], operations[k], MOST));
    for (const int *d : {cut.row_ptr + 1, cut.row, cut.level}) *bits += device_bits(d, cut.n * sizeof(*d));
    for (const int *d : {cut.col_idx, cut.source}) *bits += device_bits(d, cut.nnz * sizeof(*d));
    return SPTRSV_SUCCESS;
  }

  static SptrsvStatus on_host(SptrsvAnalysis of, int k, std::string *bits)
  {
    SptrsvPlanOptions o     = {};
    SptrsvMemory      memory = {};
    SptrsvOrdered     u;
    int              *level;
    const auto        add   = [&](const int *p, int count) { bits->append((const char *)p, count * sizeof(*p)); };

    o.triangle = triangles[k];
    o.op       = operations[k];
    o.diagonal = SPTRSV_DIAG_UNIT;
    const SptrsvStatus status = cut_rows_on_host(of, &o, MOST, &memory, &u, &level);
    if (!status) {
      for (const int *p : {u.row_ptr + 1, u.row, level}) add(p, u.n);
      for (const int *p : {u.col_idx, u.source}) add(p, u.nnz);
    }
    sptrsvMemoryFree(&memory);
    return status;
  }
};

/* CSR to CSC against the definition: of the whole pattern, in order; of both triangles, in any order, and the lengths of the lists */
class Transpose : public AnalysisCase {
public:
  using AnalysisCase::AnalysisCase;

  std::string run() override
  {
    std::string wrong = in_order();

    for (const SptrsvTriangle side : {SPTRSV_LOWER, SPTRSV_UPPER}) {
      if (wrong.empty()) wrong = in_any_order(side);
    }
    return wrong;
  }

private:
  struct Entry {
    int  column, row;
    bool operator<(const Entry &other) const { return column != other.column ? column < other.column : row < other.row; }
    bool operator==(const Entry &other) const { return column == other.column && row == other.row; }
  };

  std::string in_order() const
  {
    std::vector<int>     ptr((size_t)A.n + 1), idx((size_t)A.row_ptr[A.n]), source(idx.size());
    sptrsv::Scratch<int> d_ptr, d_idx, d_source;
    const auto           work = [&] {
      SPTRSV_TRY(d_ptr.create(ptr.size()));
      SPTRSV_TRY(d_idx.create(idx.size()));
      SPTRSV_TRY(d_source.create(source.size()));
      SPTRSV_TRY(sptrsv::transpose_in_order(A.n, (int)idx.size(), analysis->device.row_ptr, analysis->device.col_idx, d_ptr, d_idx,
                                            d_source));
      SPTRSV_TRY(sptrsv::read_back((int *)d_ptr, ptr.data(), ptr.size()));
      SPTRSV_TRY(sptrsv::read_back((int *)d_idx, idx.data(), idx.size()));
      return sptrsv::read_back((int *)d_source, source.data(), source.size());
    };

    if (const SptrsvStatus status = work()) return said(status);
    for (int j = 0; j < A.n; j++) {
      for (int e = ptr[j]; e < ptr[j + 1]; e++) {
        const int i = idx[e];

        if (e > ptr[j] && idx[e - 1] >= i) return "rows of a column are not in order";
        if (source[e] < A.row_ptr[i] || source[e] >= A.row_ptr[i + 1] || A.col_idx[source[e]] != j) return "another source of an entry";
      }
    }
    return ptr[0] || ptr[A.n] != (int)idx.size() ? "the transpose in order has another number of entries" : "";
  }

  std::vector<Entry> entries_of(SptrsvTriangle side) const
  {
    std::vector<Entry> entries;

    for (int i = 0; i < A.n; i++) {
      for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) {
        if (side == SPTRSV_LOWER ? A.col_idx[e] < i : A.col_idx[e] > i) entries.push_back({A.col_idx[e], i});
      }
    }
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  std::string in_any_order(SptrsvTriangle side) const
  {
    const sptrsv::Adjacency   rows  = sptrsv::one_side(analysis->device, side);
    const std::vector<Entry>  right = entries_of(side);
    std::vector<int>          ptr((size_t)A.n + 1), idx(right.size());
    std::vector<unsigned>     length((size_t)A.n), needs((size_t)A.n);
    sptrsv::Scratch<int>      d_ptr, d_idx;
    sptrsv::Scratch<unsigned> d_length;
    std::vector<Entry>        now;
    const auto                work = [&] {
      SPTRSV_TRY(d_ptr.create(ptr.size()));
      SPTRSV_TRY(d_idx.create(idx.size()));
      SPTRSV_TRY(d_length.create(length.size()));
      SPTRSV_TRY(sptrsv::transpose(rows, d_ptr, d_idx));
      SPTRSV_TRY(sptrsv::count_lengths(rows, 1, d_length));
      SPTRSV_TRY(sptrsv::read_back((int *)d_ptr, ptr.data(), ptr.size()));
      SPTRSV_TRY(sptrsv::read_back((int *)d_idx, idx.data(), idx.size()));
      return sptrsv::read_back((unsigned *)d_length, length.data(), length.size());
    };

    if (const SptrsvStatus status = work()) return said(status);
    if (ptr[A.n] != (int)right.size()) return "the transpose has another number of entries";
    for (int j = 0; j < A.n; j++) {
      for (int e = ptr[j]; e < ptr[j + 1]; e++) now.push_back({j, idx[e]});
    }
    std::sort(now.begin(), now.end());
    for (const Entry &entry : right) needs[entry.row]++;
    return now != right ? "another transpose" : length != needs ? "other numbers of dependencies" : "";
  }
};

/* Patterns of ILU and ICC with fill, in natural order and another one, made anew in each run, against the host's */
class Fill : public Case {
public:
  Fill(int matrix, int64_t levels) : A(matrix), fill{levels, 0} {}

  bool open() override
  {
    for (int k = 0; k < KINDS; k++) {
      if (!expect_success(pattern(k, SPTRSV_HOST, &first[k]))) return false;
    }
    return true;
  }

  std::string run() override
  {
    for (int k = 0; k < KINDS; k++) {
      std::string        now;
      const SptrsvStatus status = pattern(k, SPTRSV_DEVICE, &now);

      if (status) return said(status);
      if (now != first[k]) return "another pattern than on the host";
    }
    return "";
  }

private:
  static constexpr int KINDS = 4;

  /* Where a diagonal entry is missing there is none */
  SptrsvStatus pattern(int k, SptrsvLocation location, std::string *bits) const
  {
    const SptrsvCsr csr     = zoo_csr(&A);
    int32_t *const  perm    = k / 2 ? random_permutation(A.n, 31) : nullptr;
    int32_t *const  inverse = k / 2 ? inverse_permutation(A.n, perm) : nullptr;
    SptrsvFactor    factor  = nullptr;
    const int32_t  *row_ptr = nullptr, *col_idx = nullptr;
    int64_t         rows = 0, nnz = 0, missing = -1;
    SptrsvStatus    status = sptrsvFactorCreate(&csr, k % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0, perm, inverse, &fill, SPTRSV_DOUBLE, location,
                                                &missing, &factor);

    if (!status) status = sptrsvFactorGetPattern(factor, &rows, &nnz, &row_ptr, &col_idx);
    if (status == SPTRSV_MISSING_DIAGONAL) {
      *bits  = "row " + std::to_string(missing);
      status = SPTRSV_SUCCESS;
    } else if (!status) {
      bits->assign((const char *)row_ptr, ((size_t)rows + 1) * sizeof(*row_ptr));
      bits->append((const char *)col_idx, (size_t)nnz * sizeof(*col_idx));
    }
    (void)sptrsvFactorDestroy(&factor);
    free(perm);
    free(inverse);
    return status;
  }

  Matrix      A;
  SptrsvFill  fill;
  std::string first[KINDS];
};

/* yuenyeung's map of rows (Zhang et al., Algorithm 6) for thresholds that make all, some and no sub-matrices groups of one row */
class Groups : public AnalysisCase {
public:
  using AnalysisCase::AnalysisCase;

  std::string run() override
  {
    std::string wrong;

    for (const double threshold : {1e-9, 4., 5., 1e9}) {
      if (wrong.empty()) wrong = compare(threshold);
    }
    return wrong;
  }

private:
  std::vector<int> right_map(double threshold) const
  {
    std::vector<int> map;

    for (int first = 0; first < A.n; first += SPTRSV_WARP) {
      const int    end  = std::min(A.n, first + SPTRSV_WARP);
      const double mean = (double)(A.row_ptr[end] - A.row_ptr[first] + end - first) / (end - first);

      for (int i = first; i < end; i += mean >= threshold ? 1 : SPTRSV_WARP) map.push_back(i);
    }
    map.push_back(A.n);
    return map;
  }

  std::string compare(double threshold) const
  {
    const std::vector<int> right = right_map(threshold);
    std::vector<int>       now;
    SptrsvMemory           memory = {};
    int                   *d_map = nullptr, groups = 0;
    SptrsvStatus           status = sptrsvRowGroups(A.n, analysis->device.row_ptr, threshold, &memory, &d_map, &groups);

    if (!status) {
      now.resize((size_t)groups + 1);
      status = sptrsv::read_back(d_map, now.data(), now.size());
    }
    sptrsvMemoryFree(&memory);
    return status ? said(status) : now == right ? "" : "another map of groups";
  }
};

} // namespace

void add_set_ups(int k, const AddCase &add)
{
  add("levels", "", [=] { return new Levels(k, SPTRSV_LEVELS_ROWS); });
  add("kahn", "", [=] { return new Levels(k, SPTRSV_LEVELS_KAHN); });
  if (k % 2) add("levels.host-rows", "", [=] { return new Levels(k, SPTRSV_LEVELS_HOST_ROWS); });
  else add("levels.host-columns", "", [=] { return new Levels(k, SPTRSV_LEVELS_HOST_COLUMNS); });
  add("statistics", "", [=] { return new Statistics(k); });
  add("cut", "", [=] { return new Cut(k); });
  add("transpose", "", [=] { return new Transpose(k); });
  if (k < zoo_count()) add("fill", "", [=] { return new Fill(k, 1 + k % 3); }); /* what is behind makes a full matrix of 140 rows */
  add("groups", "", [=] { return new Groups(k); });
}

} // namespace simt
