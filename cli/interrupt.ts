import type { EventEmitter } from 'node:events';

/** Signals within this many milliseconds are one: npm passes on the Ctrl-C that the terminal has sent already. */
const sameKeyPress = 500;

export interface InterruptOptions {
  /** Told once, when the first signal comes. */
  onFirst(signal: string): void;
  /** Ends the process at once, when a second one comes. */
  exit(code: number): void;
  now(): number;
}

/** Turns Ctrl-C and its kin into an AbortSignal; whoever cannot wait for the clean-up sends a second one. */
export function watchSignals(source: EventEmitter, options: InterruptOptions): AbortController {
  const controller = new AbortController();
  let first: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    source.on(name, () => {
      const now = options.now();
      if (first === undefined) {
        first = now;
        options.onFirst(name);
        controller.abort(new Error(name));
      } else if (now - first >= sameKeyPress) {
        options.exit(130);
      }
    });
  }
  return controller;
}
