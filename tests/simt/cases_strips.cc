/* Cases of the set-up of strips with an answer of their own: depth-first orders, list schedules, forecasts. */
#include "cases_parts.h"
#include "../../src/kernels/solve/strips/arrange.cuh"
#include "../../src/kernels/solve/strips/forecast.cuh"
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace simt {

namespace {

using Graph = std::vector<std::vector<int>>; /* a list for each unknown */

/* The unknowns that each one of a sweep needs */
Graph needs_of(const ZooMatrix &A, SptrsvTriangle triangle, SptrsvOperation op)
{
  Graph needs((size_t)A.n);

  for (int i = 0; i < A.n; i++) {
    for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) {
      const int j = A.col_idx[e];

      if (triangle == SPTRSV_LOWER ? j >= i : j <= i) continue;
      if (op == SPTRSV_TRANSPOSE) needs[j].push_back(i);
      else needs[i].push_back(j);
    }
  }
  return needs;
}

Graph turned(const Graph &needs)
{
  Graph users(needs.size());

  for (size_t i = 0; i < needs.size(); i++) {
    for (const int j : needs[i]) users[j].push_back((int)i);
  }
  return users;
}

/* What is found for the rows of each sweep */
class OfSweeps : public AnalysisCase {
public:
  using AnalysisCase::AnalysisCase;

  std::string run() override
  {
    close();
    SptrsvStatus status = create();
    std::string  wrong  = status ? said(status) : "";

    for (int s = 0; s < 4 && wrong.empty(); s++) {
      sptrsv::DeviceRows rows;

      status = rows.take_analysis(analysis, triangles[s], operations[s]);
      wrong  = status ? said(status) : compare(rows, triangles[s], operations[s]);
    }
    return wrong;
  }

private:
  virtual std::string compare(const sptrsv::DeviceRows &rows, SptrsvTriangle triangle, SptrsvOperation op) const = 0;
};

/* The order of strips in all four sweeps against its definition: in each round the preorder of a forest in which a row's parent is the last
   one that it needs, by the preorder before; and then a row behind the last one that it needs, directly or not */
class DepthFirst : public OfSweeps {
public:
  using OfSweeps::OfSweeps;

private:
  /* Of a sweep and of that with the other triangle, at once */
  std::string compare(const sptrsv::DeviceRows &rows, SptrsvTriangle triangle, SptrsvOperation op) const override
  {
    const SptrsvTriangle       other    = triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
    SptrsvOrder                found[2] = {};
    sptrsv::DeviceRows         second;
    SptrsvStatus               status   = second.take_analysis(analysis, other, op);
    const sptrsv::StripsCourse both[2]  = {{&rows, &rows, nullptr, {}, found}, {&second, &second, nullptr, {}, found + 1}};
    const auto                 right    = right_orders({order_of(triangle, op), order_of(other, op)});
    sptrsv::ScopedMemory       memory;
    std::vector<int>           now((size_t)A.n);

    if (!status) status = sptrsv::strips_depth_first(both, 2, &memory);
    for (int k = 0; k < 2 && !status; k++) {
      status = sptrsv::read_back(found[k].depth_first, now.data(), now.size());
      if (!status && now != right[k].place) return "another order";
    }
    return status ? said(status) : "";
  }

  struct Order {
    Graph            needs;
    std::vector<int> place, parent, preorder; /* place: of a row in the sweep, which is the row at this place, too */
  };

  Order order_of(SptrsvTriangle triangle, SptrsvOperation op) const
  {
    std::vector<int> place((size_t)A.n);

    for (int k = 0; k < A.n; k++) place[k] = sptrsvSide(triangle, op) == SPTRSV_UPPER ? A.n - 1 - k : k;
    return {needs_of(A, triangle, op), place, std::vector<int>((size_t)A.n, A.n), place};
  }

  /* Returns how many parents change */
  int number(Order *o) const
  {
    Graph            children((size_t)A.n + 1); /* of rows, the last one first; and roots */
    std::vector<int> stack, next((size_t)A.n);
    int              found = 0, changed = 0;

    for (int k = A.n - 1; k >= 0; k--) {
      int last = -1;

      for (const int j : o->needs[o->place[k]]) last = last < 0 || o->preorder[j] > o->preorder[last] ? j : last;
      changed += std::exchange(o->parent[o->place[k]], last) != last;
      children[last < 0 ? A.n : last].push_back(o->place[k]);
    }
    for (stack = children[A.n]; !stack.empty();) {
      const int i = stack.back();

      stack.pop_back();
      next[i] = found++;
      stack.insert(stack.end(), children[i].begin(), children[i].end());
    }
    o->preorder = next;
    return changed;
  }

  /* `place` becomes the order */
  std::vector<Order> right_orders(std::vector<Order> orders) const
  {
    for (int round = 0, changed = 2 * A.n; round < 12 && changed > 2 * A.n / 16; round++)
      changed = number(&orders[0]) + number(&orders[1]);
    for (Order &o : orders) {
      const std::vector<int> place  = o.place;
      std::vector<int>       latest = o.preorder;

      for (const int i : place) {
        for (const int j : o.needs[i]) latest[i] = std::max(latest[i], latest[j]);
      }
      std::sort(o.place.begin(), o.place.end(),
                [&](int a, int b) { return std::tie(latest[a], place[a]) < std::tie(latest[b], place[b]); });
    }
    return orders;
  }
};

/* Schedules of all four sweeps, two of each at once, against a serial one: strip by strip, since a strip needs none that comes later */
class Listed : public OfSweeps {
public:
  using OfSweeps::OfSweeps;

private:
  std::string compare(const sptrsv::DeviceRows &rows, SptrsvTriangle triangle, SptrsvOperation op) const override
  {
    const sptrsv::StripsOrder order = {ROWS, nullptr, nullptr, nullptr, {}, 0, (double)(A.n / ROWS + 1), A.n + 1};
    sptrsv::StripsCourse      course[2];
    sptrsv::Scratch<int>      strip[2], chunk[2];
    SptrsvOrder               schedule[2] = {};
    std::vector<int>          now((size_t)A.n);
    int                       processors = 0, steps = 0;
    SptrsvStatus              status     = sptrsv::count_processors(&processors);

    for (int k = 0; k < 2 && !status; k++) {
      status = strip[k].create((size_t)A.n);
      if (!status) status = chunk[k].create((size_t)A.n);
      schedule[k].strip = strip[k];
      schedule[k].chunk = chunk[k];
      course[k]         = {&rows, &rows, nullptr, order, schedule + k};
    }
    if (!status) status = sptrsv::strips_schedule(course, 2);
    const std::vector<int> right = right_chunks(triangle, op, SPTRSV_STRIP_TEAMS * processors, &steps);
    for (int k = 0; k < 2 && !status; k++) {
      status = sptrsv::read_back((int *)chunk[k], now.data(), now.size());
      if (!status && now != right) return "another schedule";
      if (!status && steps != schedule[k].steps) return "other steps";
    }
    return status ? said(status) : "";
  }

  static constexpr int ROWS = SPTRSV_WARP / 2;

  /* Longest paths, over unknowns in an order in which each comes after those that it needs */
  static std::vector<int> levels_of(const Graph &needs, bool backwards)
  {
    const int        n = (int)needs.size();
    std::vector<int> level((size_t)n);

    for (int k = 0; k < n; k++) {
      const int i = backwards ? n - 1 - k : k;

      for (const int j : needs[i]) level[i] = std::max(level[i], level[j] + 1);
    }
    return level;
  }

  std::vector<int> right_chunks(SptrsvTriangle triangle, SptrsvOperation op, int teams, int *steps) const
  {
    const bool             backwards = sptrsvSide(triangle, op) == SPTRSV_UPPER;
    const Graph            needs     = needs_of(A, triangle, op);
    const std::vector<int> level = levels_of(needs, backwards), height = levels_of(turned(needs), !backwards);
    std::vector<int>       step((size_t)A.n, -1), chunk((size_t)A.n), ends;
    const auto             place = [&](int i) { return backwards ? A.n - 1 - i : i; };

    for (int first = 0; first < A.n; first += ROWS) {
      std::vector<int> left;
      int              now = (int)ends.size() < teams ? 0 : ends[ends.size() - (size_t)teams], chunks = 0;
      bool             follows = false;

      for (int k = first; k < std::min(A.n, first + ROWS); k++) left.push_back(place(k));
      std::stable_sort(left.begin(), left.end(), [&](int i, int j) { return 2 * level[i] - height[i] < 2 * level[j] - height[j]; });
      for (; !left.empty(); now++) {
        std::vector<int> chosen;

        for (const int i : left) {
          const bool ready = std::all_of(needs[i].begin(), needs[i].end(), [&](int j) {
            return step[j] >= 0 && step[j] + (place(j) < first ? sptrsv::STRIPS_HOP : 1) <= now;
          });

          if (ready && chosen.size() < SPTRSV_WARP) chosen.push_back(i);
        }
        for (const int i : chosen) {
          step[i]  = now;
          chunk[i] = chunks;
          left.erase(std::find(left.begin(), left.end(), i));
        }
        chunks += !chosen.empty() || follows;
        follows = !chosen.empty();
      }
      ends.push_back(now);
      *steps = std::max(*steps, now);
    }
    return chunk;
  }
};

/* Forecasts of plans of all four sweeps against a serial one: chunk after chunk, since a chunk needs none that comes later */
class Forecast : public OfSweeps {
public:
  using OfSweeps::OfSweeps;

private:
  std::string compare(const sptrsv::DeviceRows &, SptrsvTriangle triangle, SptrsvOperation op) const override
  {
    std::string wrong;

    for (const SptrsvValueType type : {SPTRSV_DOUBLE, SPTRSV_COMPLEX_DOUBLE}) { /* whose marks are elsewhere */
      for (const SptrsvPrecision precision : {SPTRSV_PRECISION_OWN, SPTRSV_PRECISION_SINGLE}) {
        if (wrong.empty()) wrong = judge(triangle, op, type, precision);
      }
    }
    return wrong;
  }

  std::string judge(SptrsvTriangle triangle, SptrsvOperation op, SptrsvValueType type, SptrsvPrecision precision) const
  {
    SptrsvPlanOptions o    = {};
    SptrsvPlan        plan = nullptr;

    o.algorithm               = "strips";
    o.location                = SPTRSV_DEVICE;
    o.triangle                = triangle;
    o.op                      = op;
    o.type                    = type;
    o.tuning.sweep.precision  = precision;
    o.tuning.strips.rows      = SPTRSV_WARP / 2;
    const SptrsvStatus status = sptrsvPlanCreate(analysis, &o, &plan);
    const std::string  wrong  = status ? said(status) : forecast(plan, o);
    (void)sptrsvPlanDestroy(&plan);
    return wrong;
  }

  static std::string forecast(SptrsvPlan plan, const SptrsvPlanOptions &o)
  {
    const sptrsv::StripsPlan &data = *sptrsv::data_of<sptrsv::StripsPlan>(plan);
    double                    now = 0, missing = 0;
    SptrsvStatus              status = sptrsv::strips_forecast(plan, &now);

    if (!status) status = sptrsv::strips_missing(data, &missing);
    if (status) return said(status);
    const double right = sptrsv::by_stored_type(o, [&](auto v, auto s) {
      return right_forecast<decltype(v), decltype(s)>(data, sptrsv::strips_costs(data, o.type, missing));
    });
    return now == right ? "" : "another forecast";
  }

  template <class T> static std::vector<T> host(const T *d, size_t count)
  {
    std::vector<T> values(count);

    (void)sptrsv::read_back(d, values.data(), count);
    return values;
  }

  template <class V, class S> static double right_forecast(const sptrsv::StripsPlan &plan, const sptrsv::StripsCosts &costs)
  {
    const int  teams = (int)plan.tickets.warps, warps = plan.warps;
    const auto first = host(plan.strip_ptr, (size_t)plan.strips + 1);
    const auto chunk = host(plan.chunk, (size_t)plan.chunks);

    std::vector<unsigned> ends(chunk.size());
    for (int s = 0; s < plan.strips; s++) {
      const unsigned start = s < teams ? 0 : ends[first[s - teams + 1] - 1];
      unsigned       now   = start;

      for (int c = first[s]; c < first[s + 1]; c++) {
        now     = std::max(now, (c - warps < first[s] ? start : ends[c - warps]) + sptrsv::strips_fetch_ns(costs, chunk[c]));
        now     = std::max(now, far_end(plan, chunk[c], ends, costs.hop));
        ends[c] = now += sptrsv::strips_chunk_ns<V, S>(costs, chunk[c], mark_of<V>(plan, chunk[c]));
      }
    }
    return (sptrsv::STRIPS_START_NS + (double)*std::max_element(ends.begin(), ends.end())) * 1e-3;
  }

  static unsigned far_end(const sptrsv::StripsPlan &plan, const sptrsv::SptrsvStripChunk &chunk, const std::vector<unsigned> &ends,
                          unsigned hop)
  {
    unsigned last = 0;

    for (const int place : host(plan.far_place + chunk.far, SPTRSV_WARP * (size_t)chunk.fars)) {
      if (place >= 0) last = std::max(last, ends[place / SPTRSV_WARP] + hop);
    }
    return last;
  }

  template <class V> static unsigned mark_of(const sptrsv::StripsPlan &plan, const sptrsv::SptrsvStripChunk &chunk)
  {
    using Layout = sptrsv::RecordLayout<V>;

    return host((const unsigned short *)(plan.record + chunk.record + SPTRSV_WARP * (Layout::HEAD - 1)), 8)[Layout::MARK];
  }
};

} // namespace

void add_strips(int k, const AddCase &add)
{
  add("depth-first", "", [=] { return new DepthFirst(k); });
  add("listed", "", [=] { return new Listed(k); });
  add("forecast", "", [=] { return new Forecast(k); });
}

} // namespace simt
