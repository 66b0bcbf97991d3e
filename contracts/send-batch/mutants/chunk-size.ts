import { type Mutant, mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type { SendBatchPort } from '../port.ts';
import { batchMutant } from './spoil.ts';

const target = 'send-batch/chunk-size-option';

/** Lies about the size of chunks that the caller asks for. */
export const chunkSizeMutants: Mutant[] = [
  sizeLie({
    id: 'chunk-option-ignored',
    lie: 'Cuts a batch as ever, whatever chunk size the caller asks for.',
    size: () => undefined,
  }),
  sizeLie({
    id: 'option-is-the-number-of-chunks',
    lie: 'Cuts a batch into as many chunks as the caller wants messages in each.',
    size: (asked, count) => Math.ceil(count / asked),
  }),
  sizeLie({
    id: 'chunks-of-two',
    lie: 'Cuts a batch into chunks of two, whatever chunk size the caller asks for.',
    size: () => 2,
  }),
  mutant<SendBatchPort>({
    id: 'chunk-size-drops-the-signal',
    lie: 'Takes no notice of the signal of a call that asks for a chunk size.',
    target: 'send-batch/abort-takes-effect',
    needs: ['chunkSize'],
    wrap: (subject, tools) => ({
      ...passedThrough(subject),
      async sendBatch(messages, options) {
        const { signal, ...others } = options;
        if (others.chunkSize === undefined || !signal) return subject.sendBatch(messages, options);
        const outcomes = await subject.sendBatch(messages, others);
        if (signal.aborted) tools.lied();
        return outcomes;
      },
    }),
  }),
  sizeLie({
    id: 'short-tail-joins-the-chunk-before',
    lie: 'Spreads a last chunk that would be short over the chunks before it, which are then larger than the caller asked.',
    size: (asked, count) => {
      const tail = count % asked;
      return tail > 0 && tail < asked / 2 && count > asked ? Math.ceil(count / Math.floor(count / asked)) : asked;
    },
  }),
  batchMutant({
    id: 'chunk-size-drops-keys',
    lie: 'Stores messages without their keys where the caller asks for a chunk size.',
    target,
    needs: ['dedupeKey'],
    spoil: (honest, tools) => async (messages, options) => {
      const hasKeys = messages.some(({ dedupeKey }) => dedupeKey !== undefined);
      if (!hasKeys || options.chunkSize === undefined) return honest(messages, options);
      tools.lied();
      return honest(
        messages.map(({ dedupeKey: _key, ...message }) => message),
        options,
      );
    },
  }),
  batchMutant({
    id: 'chunk-size-sticks',
    lie: 'Cuts a batch by the chunk size of the call before it where the caller asks for none.',
    target,
    spoil(honest, tools) {
      let last: number | undefined;
      return async (messages, options) => {
        const { chunkSize = last } = options;
        if (chunkSize === undefined || !(chunkSize > 0)) return honest(messages, options);
        last = chunkSize;
        if (options.chunkSize !== chunkSize) tools.lied();
        return honest(messages, { ...options, chunkSize });
      };
    },
  }),
  batchMutant({
    id: 'bad-chunk-size-is-one',
    lie: 'Takes a chunk size that is none for 1, where it has to be refused.',
    target,
    cannot: ({ badChunkSize }) =>
      badChunkSize === 'refused' ? undefined : 'what is stored is the same as by the default',
    spoil: (honest, tools) => async (messages, options) => {
      const { chunkSize } = options;
      if (chunkSize === undefined || chunkSize > 0) return honest(messages, options);
      tools.lied();
      return honest(messages, { ...options, chunkSize: 1 });
    },
  }),
];

/** A lie about a size that may well be asked for. */
function sizeLie(m: Pick<Mutant, 'id' | 'lie'> & { size(asked: number, count: number): number | undefined }): Mutant {
  const { size, ...described } = m;
  return batchMutant({
    ...described,
    target,
    spoil: (honest, tools) => async (messages, options) => {
      const { chunkSize: asked, ...others } = options;
      if (asked === undefined || !(asked > 0) || messages.length === 0) return honest(messages, options);
      const chunkSize = size(asked, messages.length);
      if (chunkSize !== asked) tools.lied();
      return honest(messages, chunkSize === undefined ? others : { ...others, chunkSize });
    },
  });
}
