import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { scheduler } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Milliseconds within which a timer is about to fire; a later one is somebody's patience, not work to come. */
const soon = 200;
/** Milliseconds that are waited at most: a subject may set one timer after the other for ever. */
const longest = 1000;
/** Turns after which a timer that is due and has not fired was cleared in a way that is not seen, by its number perhaps. */
const overdue = 5;

/** What was waited for until a thread's timers were quiet. */
export interface QuietTimers {
  /** One-shot timers that fired meanwhile. */
  timers: number;
  milliseconds: number;
}

interface Timer {
  milliseconds: number;
  /** When it fires next, by `performance.now()`. */
  due: number;
  /** Turns in which it was due and has not fired. */
  missed: number;
  /** When an interval last ticked. */
  tickedAt?: number;
}

const pending = new Set<Timer>();
/** What is to be done when held timers are let go; undefined while they are not held. */
let held: (() => void)[] | undefined;
/** By what `setTimeout` or `setInterval` returned. */
const timersOf = new WeakMap<object, Timer>();
let fired = 0;

// Taken before they are replaced: what the host waits for is none of the subject's timers.
const { setTimeout: realTimeout, setImmediate: realImmediate } = globalThis;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void realTimeout(resolve, ms));
const nextTurn = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

/**
 * Resolves when microtasks and immediates have drained for two turns and no timer is about to fire; of a short interval
 * one tick is waited for. Where `trackTimers` was not called, the turns are all that is waited for.
 */
export async function quietTimers(): Promise<QuietTimers> {
  letTimersGo();
  const startedAt = performance.now();
  const firedBefore = fired;
  for (;;) {
    await nextTurn();
    await nextTurn();
    const now = performance.now();
    const next = soonest(now, startedAt);
    const left = startedAt + longest - now;
    if (next === undefined || left <= 0) {
      return { timers: fired - firedBefore, milliseconds: Math.round(now - startedAt) };
    }
    await pause(Math.min(next - now + 1, left));
  }
}

/** Keeps the timers from firing, those of intervals from ticking, until they are let go or waited for. */
export function holdTimers(): void {
  held ??= [];
}

/** Lets the timers fire, and first those that were held. */
export function letTimersGo(): void {
  // Each in a turn of its own, as timers fire: what one throws is nobody else's.
  for (const fire of held ?? []) realImmediate(fire);
  held = undefined;
}

/** When the next timer fires that is worth waiting for. */
function soonest(now: number, startedAt: number): number | undefined {
  let next: number | undefined;
  for (const timer of pending) {
    if (timer.due < now && ++timer.missed > overdue) pending.delete(timer);
    else if (timer.due <= now + soon && !(timer.tickedAt! >= startedAt)) next = Math.min(next ?? timer.due, timer.due);
  }
  return next;
}

type Callback = (this: unknown, ...args: unknown[]) => unknown;
type SetTimer = (callback: Callback, milliseconds?: number, ...args: unknown[]) => object;
type ClearTimer = (timer: unknown) => void;
/** The functions that are replaced, as `globalThis` and node:timers have them. */
interface TimerFunctions {
  setTimeout: SetTimer;
  setInterval: SetTimer;
  clearTimeout: ClearTimer;
  clearInterval: ClearTimer;
}
interface TimerPromises {
  setTimeout(milliseconds?: number, ...rest: unknown[]): Promise<unknown>;
  scheduler: typeof scheduler;
}

/** Makes `quietTimers` know the timers that are set in this thread from now on; called once, before a backend loads. */
export function trackTimers(): void {
  const require = createRequire(import.meta.url);
  const globals = globalThis as unknown as TimerFunctions;
  const promises: TimerPromises = require('node:timers/promises');
  const { scheduler } = promises;
  promises.setTimeout = trackedPromise(promises.setTimeout);
  scheduler.wait = trackedPromise(scheduler.wait.bind(scheduler)) as typeof scheduler.wait;

  const replacements: TimerFunctions = {
    setTimeout: trackedTimer(globals.setTimeout, once),
    setInterval: trackedTimer(globals.setInterval, tick),
    clearTimeout: trackedClear(globals.clearTimeout),
    clearInterval: trackedClear(globals.clearInterval),
  };
  for (const [name, replacement] of Object.entries(replacements)) {
    Object.defineProperty(replacement, 'name', { value: name });
  }
  Object.defineProperty(replacements.setTimeout, promisify.custom, { enumerable: true, value: promises.setTimeout });
  trackRefresh();
  Object.assign(globals, replacements);
  Object.assign(require('node:timers'), replacements);
  syncBuiltinESMExports();
}

function start(milliseconds: number | undefined): Timer {
  // Node's own rule: what is no delay is the shortest.
  const delay = Number(milliseconds) >= 1 && Number(milliseconds) < 2 ** 31 ? Number(milliseconds) : 1;
  const timer = { milliseconds: delay, due: performance.now() + delay, missed: 0 };
  pending.add(timer);
  return timer;
}

function once(timer: Timer): void {
  pending.delete(timer);
  fired += 1;
}

function tick(timer: Timer): void {
  timer.tickedAt = performance.now();
  timer.due = timer.tickedAt + timer.milliseconds;
  timer.missed = 0;
}

function trackedTimer(original: SetTimer, fires: (timer: Timer) => void): SetTimer {
  return (callback, milliseconds, ...args) => {
    // Node has a word for what is no function.
    if (typeof callback !== 'function') return original(callback, milliseconds, ...args);
    const timer = start(milliseconds);
    const returned = original(
      function (...given) {
        const fire = () => {
          fires(timer);
          return callback.apply(this, given);
        };
        if (!held) return fire();
        // One that is cleared meanwhile does not fire; an interval ticks again.
        if (fires === once) held.push(() => void (pending.has(timer) && fire()));
      },
      milliseconds,
      ...args,
    );
    timersOf.set(returned, timer);
    return returned;
  };
}

function trackedClear(original: ClearTimer): ClearTimer {
  return (returned) => {
    const timer = typeof returned === 'object' && returned !== null ? timersOf.get(returned) : undefined;
    if (timer) pending.delete(timer);
    original(returned);
  };
}

/** The promises of node:timers/promises set the engine's timers themselves. */
function trackedPromise(original: TimerPromises['setTimeout']): TimerPromises['setTimeout'] {
  return (milliseconds, ...rest) => {
    const promise = original(milliseconds, ...rest).then((value) =>
      held ? new Promise((resolve) => void held!.push(() => resolve(value))) : value,
    );
    const timer = start(milliseconds);
    promise.then(
      () => once(timer),
      () => pending.delete(timer),
    );
    return promise;
  };
}

/** A timer that is refreshed runs anew, also once it has fired. */
function trackRefresh(): void {
  const sample = realTimeout(() => {});
  clearTimeout(sample);
  const prototype = Object.getPrototypeOf(sample) as NodeJS.Timeout;
  const { refresh } = prototype;
  prototype.refresh = function () {
    const timer = timersOf.get(this);
    if (timer) {
      timer.due = performance.now() + timer.milliseconds;
      timer.missed = 0;
      pending.add(timer);
    }
    return refresh.call(this);
  };
}
