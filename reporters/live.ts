import type { Writable } from 'node:stream';
import type { Terminal } from './terminal.ts';
import { shorten, visible } from './text.ts';

const eraseLine = '\r\x1b[K';

/** Prints lines, and keeps one line below them that is written over; without a live terminal it shows no such line. */
export class LiveLine {
  readonly #stream: Writable;
  readonly #terminal: Terminal;
  #shown = '';

  constructor(stream: Writable, terminal: Terminal) {
    this.#stream = stream;
    this.#terminal = terminal;
  }

  /** Prints lines for good, above the live line. */
  print(lines: string[]): void {
    if (lines.length === 0) return;
    const live = this.#shown;
    this.clear();
    this.#stream.write(`${lines.join('\n')}\n`);
    if (live !== '') this.show(live);
  }

  /** Puts a text in the place of the live line. */
  show(text: string): void {
    if (!this.#terminal.live) return;
    this.#shown = text;
    // One column stays free: a line that fills the last one makes some terminals scroll.
    const line = shorten(visible(text, this.#terminal), this.#terminal.width - 1, this.#terminal);
    this.#stream.write(eraseLine + line);
  }

  clear(): void {
    if (this.#shown === '') return;
    this.#shown = '';
    this.#stream.write(eraseLine);
  }
}
