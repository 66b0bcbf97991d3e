/**
 * Puts the clock that JavaScript reads ahead by `milliseconds`, for everything in this thread from now on. The system's
 * own clock, which an engine reads, is not touched.
 */
export function moveClock(milliseconds: number): void {
  const Real = Date;
  const now = () => Real.now() + milliseconds;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new Real(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
}
