import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { Recipe } from '../contracts/kernel/recipe.ts';
import { hostFor, openSubject, ownThread, site } from './fixtures/test-hosts.ts';
import type { Exchanged } from './host.ts';
import type { HostMessage, Request } from './protocol.ts';
import { schemaText } from './schema.ts';

const schema = JSON.parse(readFileSync(new URL('../docs/protocol.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: true, allErrors: true }).addSchema(schema, 'protocol');

/** What is wrong with a value by one of the schema's definitions; null when nothing is. */
function errorsBy(name: string, value: unknown): unknown {
  const validate = ajv.getSchema(`protocol#/$defs/${name}`)!;
  validate(JSON.parse(JSON.stringify(value)));
  return validate.errors;
}

test('docs/protocol.schema.json is what the code says (node host/write-schema.ts writes it anew)', () => {
  expect(schema).toEqual(JSON.parse(schemaText()));
});

describe.each(ownThread)('a %s host', (kind) => {
  test('exchanges only messages of the schema, and every kind of them', async () => {
    const exchanged: Exchanged[] = [];
    const host = await hostFor(kind, 'echo', {
      agents: { [site.provider]: new URL('./fixtures/agent.ts', import.meta.url).href },
      trace: (one) => exchanged.push(structuredClone(one)),
    });
    const declared = await host.declare('plain', 'send-batch', {
      provider: 'none',
      mode: 'm',
      version: '1',
      lacks: {},
    });
    const subject = await openSubject(host, 'plain');
    const probe = await host.open({ as: 'probe', variant: 'probed', contract: 'send-batch', site });
    const shared = { $: 1 };
    const odd = [undefined, -0, 1n, new Uint8Array([1]), new Date(Number.NaN), new Recipe('cycle'), shared, shared];
    // biome-ignore lint/suspicious/noSparseArray: a hole has a tag of its own
    await subject.call('echo', [...odd, [1, , 2]], { freeze: true, scramble: 'settled' });
    await subject.call('unprintable', []);
    await subject.call('throwError', ['no']);
    await subject.call('touch', [[{ body: 1 }, { body: 2 }]], { compare: true });
    await subject.call('say', ['hello']);
    await subject.call('strayError', []);
    const controller = new AbortController();
    const call = subject.call('untilAborted', [], { signal: controller.signal });
    controller.abort();
    await call;
    await probe.rows();
    await subject.lies();
    await host.quiet();
    await host.agent(site, 'look', [new Map<string, unknown>().size]);
    await expect(subject.call('nothing', [])).rejects.toThrow();
    await subject.close();
    do await host.answers(1000);
    while (host.ended === undefined && host.takeStrays().length === 0);

    for (const { from, message } of exchanged) {
      expect({ message, errors: errorsBy(from === 'judge' ? 'Request' : 'HostMessage', message) }).toEqual({
        message,
        errors: null,
      });
    }
    expect(errorsBy('Manifest', host.manifest)).toBe(null);
    expect(errorsBy('Declaration', declared)).toBe(null);

    const asked = exchanged.filter((e) => e.from === 'judge').map(({ message }) => (message as Request).do);
    const all = ['load', 'declare', 'open', 'call', 'cancel', 'rows', 'close', 'agent', 'lies', 'quiet', 'ping'];
    expect(new Set(asked)).toEqual(new Set(all));
    const heard = exchanged.filter((e) => e.from === 'host').flatMap(({ message }) => kindsOf(message as HostMessage));
    expect(new Set(heard)).toEqual(new Set(['value', 'threw', 'refused', 'touched', 'stray', 'console']));
    const tags = new Set(JSON.stringify(exchanged).match(/(?<="\$":")[a-z]+/g));
    const allTags = schema.$defs.Tagged.anyOf.map(
      (t: { properties: { $: { const: string } } }) => t.properties.$.const,
    );
    expect(tags).toEqual(new Set(allTags));
  });
});

function kindsOf(message: HostMessage): string[] {
  return 'event' in message ? [message.event] : Object.keys(message).filter((key) => key !== 'id');
}

test.each<[string, string, unknown]>([
  ['an unknown request', 'Request', { id: 1, do: 'dance' }],
  ['a request without an id', 'Request', { do: 'ping' }],
  ['a field too many', 'Request', { id: 1, do: 'ping', more: 1 }],
  ['a reply of two kinds', 'HostMessage', { id: 1, value: 1, threw: { name: 'a', message: 'b' } }],
  ['an unknown event', 'HostMessage', { event: 'party' }],
  ['an unknown tag', 'Wire', { $: 'surprise' }],
  ['a tag with a field too many', 'Wire', [{ $: 'undefined', more: 1 }]],
  ['an unknown recipe', 'Wire', { a: { $: 'recipe', name: 'cake', token: '' } }],
  ['a failure without a message', 'Failure', { name: 'Error' }],
  ['a declaration with an unknown offer', 'Declaration', { offers: ['x'] }],
])('the schema refuses %s', (_, name, value) => {
  expect(errorsBy(name, value)).not.toBe(null);
});
