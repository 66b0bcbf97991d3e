import type { Bench, OpenOptions, Rig } from './guard.ts';

/** The same object, but for some of its members. */
export function except<T extends object>(whole: T, over: Partial<T>): T {
  return new Proxy(whole, {
    get(target, key) {
      if (Object.hasOwn(over, key)) return over[key as keyof T];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A bench whose subjects are changed once they are open. */
export function withRigs(bench: Bench, change: (rig: Rig, options: OpenOptions) => Rig | Promise<Rig>): Bench {
  return except(bench, {
    open: async (options = {}) => change(await bench.open(options), options),
    openEmpty: async () => change(await bench.openEmpty(), {}),
  });
}
