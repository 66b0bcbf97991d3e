import type { Makers } from './codec.ts';

/** Makes, beside the subject, the values that cannot travel there. */
export const makers: Makers = {
  cycle(token) {
    const cycle: Record<string, unknown> = { token };
    cycle.self = cycle;
    return cycle;
  },
  'throwing-getter': (token) => ({
    token,
    get broken(): never {
      throw new Error(`this getter always throws (${token})`);
    },
  }),
  'throwing-to-json': (token) => ({
    token,
    toJSON(): never {
      throw new Error(`this toJSON always throws (${token})`);
    },
  }),
  bigint: () => 2n ** 64n + 1n,
  sparse(token) {
    const sparse: unknown[] = [token];
    sparse.length = 3;
    return sparse;
  },
  function: (token) => Object.defineProperty(() => token, 'name', { value: token }),
  symbol: (token) => Symbol(token),
};
