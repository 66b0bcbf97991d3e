import { describe, expect, test } from 'vitest';
import type { EngineFacts, Offer } from '../contracts/kernel/capabilities.ts';
import { strictDeclaration } from '../contracts/kernel/capabilities.ts';
import { type BackendDefinition, declarationOf, defineBackend, type Entry } from './backend.ts';

const open = () => ({ sendBatch: () => [] });
const entry = { open, rows: 'select 1' };
const facts: EngineFacts = { provider: 'sqlite', mode: 'file', version: '3', lacks: {} };

describe('defineBackend', () => {
  test('contracts at the top level become the only variant', () => {
    expect(defineBackend({ name: 'mine', provider: 'sqlite', 'send-batch': entry })).toEqual({
      name: 'mine',
      provider: 'sqlite',
      variants: { default: { 'send-batch': entry } },
    });
  });

  test('variants stay as they are named', () => {
    const variants = { copy: { 'send-batch': entry }, 'multi-row.v2': { 'send-batch': entry } };
    expect(defineBackend({ name: 'mine', provider: 'sqlite', variants }).variants).toEqual(variants);
  });

  test('a backend may be defined again', () => {
    const backend = defineBackend({ name: 'mine', provider: 'sqlite', 'send-batch': entry });
    expect(defineBackend(backend)).toEqual(backend);
  });

  test('open is given the site of its provider', () => {
    const backend = defineBackend({
      name: 'mine',
      provider: 'sqlite',
      'send-batch': {
        open(site) {
          // Checked by the compiler: other providers' sites have no path.
          const path: string = site.path;
          return { sendBatch: () => [{ stored: path }] };
        },
        rows: 'select 1',
      },
    });
    const port = backend.variants.default!['send-batch']!.open({
      provider: 'sqlite',
      mode: 'file',
      path: 'p',
    } as never);
    expect(port).toHaveProperty('sendBatch');
  });

  test.each<[string, unknown, RegExp]>([
    ['not an object', undefined, /must be an object, not undefined/],
    ['no name', { provider: 'sqlite', 'send-batch': entry }, /must have a name.*undefined/],
    ['no provider', { name: 'b', 'send-batch': entry }, /backend 'b' must name its provider/],
    [
      'unknown contract',
      { name: 'b', provider: 'p', 'send-bacth': entry },
      /unknown contract 'send-bacth'.*send-batch/,
    ],
    ['no contract', { name: 'b', provider: 'p' }, /has no contract; the contracts are send-batch/],
    ['empty variants', { name: 'b', provider: 'p', variants: {} }, /at least one variant/],
    [
      'both styles',
      { name: 'b', provider: 'p', variants: { v: { 'send-batch': entry } }, 'send-batch': entry },
      /beside/,
    ],
    [
      'variant with a slash',
      { name: 'b', provider: 'p', variants: { 'a/b': { 'send-batch': entry } } },
      /'a\/b' has a/,
    ],
    ['variant with a space', { name: 'b', provider: 'p', variants: { 'a b': { 'send-batch': entry } } }, /'a b' has a/],
    [
      'contract not an object',
      { name: 'b', provider: 'p', 'send-batch': open },
      /must be an object with open and rows/,
    ],
  ])('refuses: %s', (_, definition, message) => {
    expect(() => defineBackend(definition as BackendDefinition<string>)).toThrow(message);
    expect(() => defineBackend(definition as BackendDefinition<string>)).toThrow(TypeError);
  });

  test.each<[string, object, RegExp]>([
    ['open missing', { rows: 'x' }, /needs open\(site\).*undefined/],
    ['neither rows nor probe', { open }, /does not say how to read/],
    ['both rows and probe', { open, rows: 'x', probe: open }, /both rows and probe/],
    ['blank rows', { open, rows: ' ' }, /rows must be the text of a statement/],
    ['probe no function', { open, probe: 'x' }, /probe must be a function/],
    [
      'unknown field',
      { ...entry, rowz: 1 },
      /unknown field 'rowz'; its fields are declare, open, rows, statuses, probe/,
    ],
    ['wrong declare', { ...entry, declare: 'x' }, /declare must be a plain object, not 'x'/],
  ])('refuses an entry: %s', (_, wrong, message) => {
    const definition = { name: 'b', provider: 'p', variants: { v: { 'send-batch': wrong } } };
    const define = () => defineBackend(definition as unknown as BackendDefinition<string>);
    expect(define).toThrow(message);
    expect(define).toThrow("backend 'b', variant 'v', send-batch");
  });

  test.each<[string, object, RegExp]>([
    ['unknown field', { offer: [] }, /declare has no field 'offer'; its fields are offers/],
    ['unknown offer', { offers: ['dedupe'] }, /declare\.offers names an unknown offer 'dedupe'; known are destination/],
    ['offers no array', { offers: 'headers' }, /must be an array of offers/],
    ['unknown extra', { extras: ['fast'] }, /unknown extra 'fast'/],
    ['unknown promise', { givesUp: { speed: 'slow' } }, /unknown promise 'speed'/],
    ['give-up without a reason', { givesUp: { atomic: '' } }, /givesUp\.atomic must be the reason in words/],
    ['give-up by true', { givesUp: { atomic: true } }, /givesUp\.atomic must be the reason in words.*true/],
    ['chunk of nothing', { chunk: { rows: 0 } }, /chunk must be 'none', \{ rows: n \}/],
    ['two chunks', { chunk: { rows: 1, params: 1 } }, /chunk must be/],
    ['onFailure', { onFailure: 'throw' }, /onFailure must be 'outcomes' or 'throws', not 'throw'/],
    ['clock', { clock: 'wall' }, /clock must be/],
    ['body', { body: 'xml' }, /body must be/],
    ['namespaces', { namespaces: 'none' }, /namespaces must be/],
    ['timeResolution', { timeResolution: 0 }, /timeResolution must be/],
    ['unknown limit', { limits: { items: 1 } }, /unknown limit 'items'/],
    ['limit', { limits: { maxItems: 1.5 } }, /maxItems must be a whole number/],
    ['offer twice', { offers: ['headers', 'route', 'headers'] }, /declare\.offers names 'headers' twice/],
    [
      'difference twice',
      { offers: ['dedupeKey'], keysEqual: ['case', 'case'] },
      /declare\.keysEqual names 'case' twice; name each once/,
    ],
    ['no destinations', { offers: ['destination'], destinations: [] }, /must be 'any' or a list of names/],
    ['empty destination', { offers: ['destination'], destinations: ['a', ''] }, /names that are not empty/],
    ['destination twice', { offers: ['destination'], destinations: ['a', 'a'] }, /destinations names 'a' twice/],
    ['destinations alone', { destinations: ['a'] }, /destinations is \[ 'a' \], yet destination is not offered/],
    ['keyPolicy alone', { keyPolicy: 'replace' }, /keyPolicy is 'replace', yet dedupeKey is not offered/],
    ['keysEqual alone', { keysEqual: ['case'] }, /keysEqual is \[ 'case' \], yet dedupeKey is not offered/],
    ['idForm alone', { idForm: 'uuid' }, /idForm is 'uuid', yet callerIds is not offered/],
    ['badChunkSize alone', { badChunkSize: 'default' }, /add 'chunkSize' to the offers, or leave badChunkSize out/],
    ['bytes alone', { body: 'bytes' }, /body is 'bytes', yet binary is not offered; add 'binary' to the offers/],
    ['blank of no offer', { offers: ['route'], blankIsAbsent: ['route', 'delay'] }, /yet delay is not offered/],
  ])('refuses a declaration: %s', async (_, declare, message) => {
    const wrong = { ...entry, declare } as unknown as Entry<'send-batch'>;
    expect(() => defineBackend({ name: 'b', provider: 'p', 'send-batch': wrong })).toThrow(message);
    const computed = { ...entry, declare: () => declare } as unknown as Entry<'send-batch'>;
    await expect(declarationOf(computed, facts)).rejects.toThrow(message);
    await expect(declarationOf(computed, facts)).rejects.toThrow(TypeError);
  });

  test.each([
    ['a promise', Promise.resolve({ offers: ['headers'] }), /declare must be a plain object, not Promise/],
    ['a map', new Map([['offers', ['headers']]]), /declare must be a plain object, not Map/],
    ['nothing', null, /declare must be a plain object, not null/],
  ])('refuses a declaration that is %s', (_, declare, message) => {
    const wrong = { ...entry, declare } as unknown as Entry<'send-batch'>;
    expect(() => defineBackend({ name: 'b', provider: 'p', 'send-batch': wrong })).toThrow(message);
  });
});

describe('declarationOf', () => {
  test('is strict where nothing is said', async () => {
    expect(await declarationOf({ ...entry }, facts)).toEqual(strictDeclaration);
    expect(await declarationOf({ ...entry, declare: { chunk: undefined } as never }, facts)).toEqual(strictDeclaration);
  });

  test('may say the strict value of what is not offered', async () => {
    expect(await declarationOf({ ...entry, declare: { ...strictDeclaration } }, facts)).toEqual(strictDeclaration);
  });

  test('may be promised', async () => {
    const declare = async () => ({ offers: ['headers' as const] });
    expect(await declarationOf({ ...entry, declare }, facts)).toEqual({ ...strictDeclaration, offers: ['headers'] });
  });

  test('knows the engine', async () => {
    const declare = ({ mode }: EngineFacts) => ({ offers: mode === 'file' ? (['headers'] as const).slice() : [] });
    expect(await declarationOf({ ...entry, declare }, facts)).toEqual({ ...strictDeclaration, offers: ['headers'] });
  });

  test.each([
    ['audit', 'audits'],
    ['statusTable', 'statuses'],
  ] as const)('claims %s only where %s reads it', async (extra, statement) => {
    const declare = () => ({ extras: [extra] });
    const refused = `give ${statement} beside rows, or leave '${extra}' out`;
    await expect(declarationOf({ ...entry, declare }, facts)).rejects.toThrow(refused);
    const readable = { ...entry, declare, [statement]: 'select 1' } as Entry;
    expect(await declarationOf(readable, facts)).toEqual({ ...strictDeclaration, extras: [extra] });
  });

  test('accepts every legal value', async () => {
    const declare = {
      offers: ['dedupeKey', 'destination', 'callerIds', 'chunkSize', 'priority', 'binary'] as Offer[],
      extras: ['fifo' as const],
      givesUp: { atomic: 'one statement a message' },
      chunk: { params: 999 },
      onFailure: 'outcomes' as const,
      clock: 'database' as const,
      body: 'bytes' as const,
      namespaces: 'onDemand' as const,
      timeResolution: 0.001,
      limits: { maxItems: 10, maxBytes: 100 },
      keyPolicy: 'replace' as const,
      keysEqual: ['case' as const, 'destination' as const],
      destinations: ['orders', 'letters'],
      idForm: 'uuid' as const,
      badChunkSize: 'default' as const,
      blankIsAbsent: ['priority' as const],
      disorder: 'refused' as const,
    };
    expect(await declarationOf({ ...entry, declare }, facts)).toEqual(declare);
  });
});
