import type { World } from '../contracts/kernel/guard.ts';

/**
 * Puts the clock that JavaScript reads ahead, or holds it still, for everything in this thread from now on. The system's
 * own clock, which an engine reads, is not touched; nor is that of timers.
 */
export function setClock({ clockShift = 0, clockStandsAt }: Pick<World, 'clockShift' | 'clockStandsAt'>): void {
  const Real = Date;
  const now = () => clockStandsAt ?? Real.now() + clockShift;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new Real(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
}
