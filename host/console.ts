import type { HostEvent } from './protocol.ts';

// The host's own, which are not tracked as the subject's are.
const { setTimeout, clearTimeout } = globalThis;

const textKept = 8 * 1024;
const millisecondsBetweenEvents = 100;

/** What a subject writes to the console, on its way to the judge. */
export interface ConsoleCapture {
  /** Tells the judge what it has not heard yet. */
  flush(): void;
}

/**
 * Takes over the console of this thread. The judge hears the first kilobytes of the text and after that only counts, at
 * most ten times a second: a subject that floods its console costs the judge no memory.
 */
export function captureConsole(say: (event: HostEvent) => void): ConsoleCapture {
  let textLeft = textKept;
  let bytes = 0;
  let text = '';
  let lastEvent = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (bytes === 0) return;
    say({ event: 'console', bytes, text });
    bytes = 0;
    text = '';
    lastEvent = performance.now();
  }

  function write(chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean {
    const isText = typeof chunk === 'string';
    bytes += isText ? Buffer.byteLength(chunk) : chunk.byteLength;
    if (textLeft > 0) {
      const kept = (isText ? chunk : Buffer.from(chunk).toString()).slice(0, textLeft);
      textLeft -= kept.length;
      text += kept;
    }
    // In a synchronous loop no timer fires, so that the clock is asked at every write as well.
    if (performance.now() - lastEvent >= millisecondsBetweenEvents) flush();
    else timer ??= setTimeout(flush, millisecondsBetweenEvents).unref();
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') queueMicrotask(() => callback());
    return true;
  }

  process.stdout.write = write;
  process.stderr.write = write;
  // Node prints warnings around these streams, straight to the judge's terminal.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => write(`${warning.name}: ${warning.message}\n`));
  return { flush };
}
