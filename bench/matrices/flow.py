"""Flows of a perfect gas in the plane: first-order finite volumes on any mesh, and their linearization as blocks of a matrix"""
import numpy as np

GAMMA, PRANDTL = 1.4, 0.72


def scaled(factors, matrices):
    return factors[:, None, None] * matrices


class Mesh:
    """Faces between control volumes i and j, with normals as long as they are; those of walls and of the far field have one volume"""

    def __init__(self, count, faces, wall, far):
        self.count, (self.i, self.j, self.normal, self.distance), self.far = count, faces, far
        self.wall, self.wall_normal, self.wall_distance = wall

    def renumber(self, number):
        self.i, self.j, self.wall, self.far = number[self.i], number[self.j], number[self.wall], (number[self.far[0]], self.far[1])


class Flow:
    """State and equations; viscosity 0: slip along walls"""

    def __init__(self, mesh, mach, angle, viscosity=0.0):
        self.mesh, self.viscosity = mesh, viscosity
        self.free = np.array([[1, mach * np.cos(angle), mach * np.sin(angle), 1 / GAMMA / (GAMMA - 1) + mach**2 / 2]])
        self.state = np.repeat(self.free, mesh.count, axis=0)

    @staticmethod
    def primitive(state):
        r, m, n, e = state.T
        return r, m / r, n / r, (GAMMA - 1) * (e - (m**2 + n**2) / (2 * r))

    def flux(self, state, normal):
        """And the fastest signal through the face"""
        r, u, v, p = self.primitive(state)
        through = u * normal[:, 0] + v * normal[:, 1]
        flux = through[:, None] * state
        flux[:, 1:3] += p[:, None] * normal
        flux[:, 3] += p * through
        return flux, np.abs(through) + np.sqrt(GAMMA * p / r) * np.hypot(*normal.T)

    def viscous(self, state):
        """Velocities and temperature, whose differences the viscous flux is of, as a matrix times the state's differences"""
        r, u, v, p = self.primitive(state)
        zero, one, t = 0 * r, 1 / r, GAMMA / PRANDTL
        rows = [[zero] * 4, [-u * one, one, zero, zero], [-v * one, zero, one, zero]]
        energy = p * one / (GAMMA - 1)
        rows.append([t * ((u**2 + v**2) / 2 - energy) * one - (u**2 + v**2) * one, u * (1 - t) * one, v * (1 - t) * one, t * one])
        return self.viscosity * np.moveaxis(np.array(rows), -1, 0)

    def step(self):
        """Of pseudo-time, as long in each volume as it allows"""
        mesh, state = self.mesh, self.state
        rest, speed = np.zeros_like(state), np.zeros(len(state))
        a, b = state[mesh.i], state[mesh.j]
        (f, s), (g, t) = self.flux(a, mesh.normal), self.flux(b, mesh.normal)
        s = np.maximum(s, t)
        width = np.hypot(*mesh.normal.T) / mesh.distance
        through = (f + g - s[:, None] * (b - a)) / 2
        if self.viscosity:
            through -= width[:, None] * np.einsum("kij,kj->ki", self.viscous((a + b) / 2), b - a)
            s += 4 * self.viscosity * width / np.minimum(a[:, 0], b[:, 0])
        np.add.at(rest, mesh.i, through)
        np.add.at(rest, mesh.j, -through)
        np.add.at(speed, mesh.i, s)
        np.add.at(speed, mesh.j, s)
        wall, normal = state[mesh.wall], mesh.wall_normal
        np.add.at(rest[:, 1:3], mesh.wall, self.primitive(wall)[3][:, None] * normal)
        np.add.at(speed, mesh.wall, self.flux(wall, normal)[1])
        if self.viscosity:
            width = self.viscosity * np.hypot(*normal.T) / mesh.wall_distance
            np.add.at(rest[:, 1:3], mesh.wall, width[:, None] * wall[:, 1:3] / wall[:, :1])
            np.add.at(speed, mesh.wall, 4 * width / wall[:, 0])
        far, normal = mesh.far
        (f, s), (g, t) = self.flux(state[far], normal), self.flux(self.free, normal)
        np.add.at(rest, far, (f + g - np.maximum(s, t)[:, None] * (self.free - state[far])) / 2)
        np.add.at(speed, far, np.maximum(s, t))
        self.state = state - rest / speed[:, None]

    def derivative(self, state, normal):
        """Of the flux by the state"""
        r, u, v, p = self.primitive(state)
        x, y, k = normal[:, 0], normal[:, 1], GAMMA - 1
        q, enthalpy, w = k * (u**2 + v**2) / 2, GAMMA / k * p / r + (u**2 + v**2) / 2, u * x + v * y
        return np.moveaxis(np.array([[0 * x, x, y, 0 * x],
                                     [q * x - u * w, w + (1 - k) * u * x, u * y - k * v * x, k * x],
                                     [q * y - v * w, v * x - k * u * y, w + (1 - k) * v * y, k * y],
                                     [(q - enthalpy) * w, enthalpy * x - k * u * w, enthalpy * y - k * v * w, GAMMA * w]]), -1, 0)

    def absolute(self, state, normal):
        """Of the derivative, by the parabola through the absolute values of its three eigenvalues, none of which becomes zero"""
        r, u, v, p = self.primitive(state)
        w, c = u * normal[:, 0] + v * normal[:, 1], np.sqrt(GAMMA * p / r) * np.hypot(*normal.T)
        low, middle, high = (np.sqrt(s**2 + (0.1 * (np.abs(w) + c))**2) for s in (w - c, w, w + c))
        one, derivative = np.eye(4), self.derivative(state, normal)
        first, second = derivative - scaled(w - c, one), derivative - scaled(w, one)
        return scaled(low, one) + scaled((middle - low) / c, first) + scaled((high - 2 * middle + low) / (2 * c * c), first @ second)

    def linearized(self, cfl):
        """Blocks: rows, columns, values"""
        mesh, state = self.mesh, self.state
        a, b, mean = state[mesh.i], state[mesh.j], (state[mesh.i] + state[mesh.j]) / 2
        diffusion = self.absolute(mean, mesh.normal) / 2
        if self.viscosity:
            diffusion += scaled(np.hypot(*mesh.normal.T) / mesh.distance, self.viscous(mean))
        left, right = self.derivative(a, mesh.normal) / 2 + diffusion, self.derivative(b, mesh.normal) / 2 - diffusion
        r, u, v, _ = self.primitive(state[mesh.wall])
        pressure = (GAMMA - 1) * np.column_stack(((u**2 + v**2) / 2, -u, -v, 1 + 0 * u))
        wall = np.zeros((len(u), 4, 4))
        wall[:, 1:3] = mesh.wall_normal[:, :, None] * pressure[:, None, :]
        if self.viscosity:
            width = np.hypot(*mesh.wall_normal.T) / mesh.wall_distance
            wall[:, 1:3] += scaled(width, self.viscous(state[mesh.wall])[:, 1:3])
        far, normal = mesh.far
        outside = (self.derivative(state[far], normal) + self.absolute((state[far] + self.free) / 2, normal)) / 2
        speed = np.zeros(len(state))
        for end, of in ((mesh.i, a), (mesh.j, b)):
            np.add.at(speed, end, self.flux(of, mesh.normal)[1])
        time = scaled(speed / cfl, np.eye(4))
        own = np.arange(len(state))
        return (np.concatenate((mesh.i, mesh.i, mesh.j, mesh.j, mesh.wall, far, own)),
                np.concatenate((mesh.i, mesh.j, mesh.i, mesh.j, mesh.wall, far, own)),
                np.concatenate((left, right, -left, -right, wall, outside, time)))
