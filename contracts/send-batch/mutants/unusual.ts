import type { Mutant } from '../../kernel/mutant.ts';
import { isPlainData } from '../../writing/mutants/plain-data.ts';
import type { Message } from '../port.ts';
import { messageMutant } from './spoil.ts';

const target = 'send-batch/metadata-round-trips';
const textOptions = ['destination', 'route', 'correlationId'] as const;

/** Lies about values that are unusual, and about what belongs to one message only. */
export const unusualMutants: Mutant[] = [
  messageMutant({
    id: 'digits-become-a-number',
    lie: 'Stores a route, a correlation id or a destination of digits as the number, without its leading zeros.',
    target,
    change: () => (message) => withTexts(message, (text) => (/^0\d+$/.test(text) ? String(Number(text)) : text)),
  }),
  messageMutant({
    id: 'texts-cut-at-255',
    lie: 'Cuts a route, a correlation id or a destination after 255 characters.',
    target,
    change: () => (message) => withTexts(message, (text) => text.slice(0, 255)),
  }),
  messageMutant({
    id: 'texts-trimmed',
    lie: 'Stores a route, a correlation id or a destination without the spaces around it.',
    target,
    change: () => (message) => withTexts(message, (text) => text.trim()),
  }),
  messageMutant({
    id: 'priority-in-16-bits',
    lie: 'Stores a priority that does not fit into 16 bits as the nearest that does.',
    target,
    needs: ['priority'],
    change: () => (message) => {
      const { priority } = message;
      if (!Number.isSafeInteger(priority)) return message;
      const nearest = Math.min(32_767, Math.max(-32_768, priority!));
      return nearest === priority ? message : { ...message, priority: nearest };
    },
  }),
  messageMutant({
    id: 'headers-pile-up',
    lie: 'Stores with the headers of a message those of the messages before it in its batch as well.',
    target,
    needs: ['headers'],
    change() {
      let before: Record<string, unknown> = {};
      return (message, place) => {
        const { headers } = message;
        if (place === 0) before = {};
        if (place === 'single' || !isFilled(headers)) return message;
        before = { ...before, ...headers };
        return Object.keys(before).length === Object.keys(headers).length ? message : { ...message, headers: before };
      };
    },
  }),
  messageMutant({
    id: 'column-carried-on',
    lie: "Stores with a message that sets no column of the user's own what the message before it set.",
    target: 'send-batch/mixed-shapes-keep-their-columns',
    needs: ['columns'],
    change() {
      let before: Message['columns'];
      return (message, place) => {
        if (place === 'single') return message;
        if (place === 0) before = undefined;
        if (message.columns === undefined && before !== undefined) return { ...message, columns: before };
        before = message.columns;
        return message;
      };
    },
  }),
];

/** The message with its texts changed; the message itself where that changes nothing. */
function withTexts(message: Message, change: (text: string) => string): Message {
  const changed = { ...message };
  for (const option of textOptions) {
    const text = changed[option];
    if (typeof text === 'string') changed[option] = change(text);
  }
  return textOptions.every((option) => changed[option] === message[option]) ? message : changed;
}

/** Whether there are headers, and reading them has no effect. */
function isFilled(headers: unknown): headers is Record<string, unknown> {
  return typeof headers === 'object' && headers !== null && isPlainData(headers) && Object.keys(headers).length > 0;
}
