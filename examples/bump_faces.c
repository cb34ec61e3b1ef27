/* bump_faces.c - What passes a face of bump.c. */
#include "bump.h"

Gas GasAt(const PetscScalar s[4], const PetscReal n[2])
{
  Gas g = {.u = s[1] / s[0], .v = s[2] / s[0]};

  g.p       = (GAMMA - 1) * (s[3] - s[0] * (g.u * g.u + g.v * g.v) / 2);
  g.h       = (s[3] + g.p) / s[0];
  g.through = g.u * n[0] + g.v * n[1];
  g.sound   = PetscSqrtReal(GAMMA * g.p / s[0] * (n[0] * n[0] + n[1] * n[1]));
  return g;
}

void Derivative(const Gas *g, const PetscReal n[2], Block A)
{
  const PetscReal k = GAMMA - 1, u = g->u, v = g->v, w = g->through, q = k * (u * u + v * v) / 2;
  const Block     values = {{0, n[0], n[1], 0},
                            {q * n[0] - u * w, w + (1 - k) * u * n[0], u * n[1] - k * v * n[0], k * n[0]},
                            {q * n[1] - v * w, v * n[0] - k * u * n[1], w + (1 - k) * v * n[1], k * n[1]},
                            {(q - g->h) * w, g->h * n[0] - k * u * w, g->h * n[1] - k * v * w, GAMMA * w}};

  (void)memcpy(A, values, sizeof(values));
}

/* The absolute value of an eigenvalue of A, rounded off at zero, where a shock may stand still */
static PetscReal Absolute(PetscReal eigenvalue, const Gas *g)
{
  return PetscSqrtReal(PetscSqr(eigenvalue) + PetscSqr(0.1 * (PetscAbsReal(g->through) + g->sound)));
}

/* |A| is the parabola of A that goes through the absolute values of its three eigenvalues */
void Face(const PetscScalar here[4], const PetscScalar beyond[4], const PetscReal n[2], Block own, Block other)
{
  const PetscScalar mean[] = {(here[0] + beyond[0]) / 2, (here[1] + beyond[1]) / 2, (here[2] + beyond[2]) / 2,
                              (here[3] + beyond[3]) / 2};
  const Gas         g = GasAt(mean, n), a = GasAt(here, n), b = GasAt(beyond, n);
  const PetscReal   w = g.through, c = g.sound, low = Absolute(w - c, &g), middle = Absolute(w, &g), high = Absolute(w + c, &g);
  Block             A;

  Derivative(&g, n, A);
  Derivative(&a, n, own);
  Derivative(&b, n, other);
  for (PetscInt r = 0; r < 4; r++) {
    for (PetscInt s = 0; s < 4; s++) {
      const PetscReal linear = A[r][s] - (r == s ? w - c : 0); /* of A - (w - c) I */
      PetscReal       square = -w * linear, upwind;            /* of that times A - w I */

      for (PetscInt k = 0; k < 4; k++) square += (A[r][k] - (r == k ? w - c : 0)) * A[k][s];
      upwind      = (r == s ? low : 0) + (middle - low) / c * linear + (high - 2 * middle + low) / (2 * c * c) * square;
      own[r][s]   = (own[r][s] + upwind) / 2;
      other[r][s] = (other[r][s] - upwind) / 2;
    }
  }
}

void Wall(const Gas *g, const PetscReal n[2], Block own)
{
  const PetscReal pressure[] = {(g->u * g->u + g->v * g->v) / 2, -g->u, -g->v, 1};

  for (PetscInt r = 0; r < 4; r++) {
    for (PetscInt s = 0; s < 4; s++) own[r][s] = r == 1 || r == 2 ? (GAMMA - 1) * n[r - 1] * pressure[s] : 0;
  }
}
