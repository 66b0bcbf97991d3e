import { Type } from 'typebox';
import { extras, keyDifferences, offers, promises } from '../contracts/kernel/capabilities.ts';
import { recipes } from '../contracts/kernel/recipe.ts';

const closed = { additionalProperties: false };
const ref = (name: string) => Type.Ref(`#/$defs/${name}`);
const index = () => Type.Integer({ minimum: 0 });
const names = (list: readonly string[]) => Type.Enum([...list]);

const tag = (name: string, fields: Record<string, Type.TSchema> = {}, about = '') =>
  Type.Object({ $: Type.Literal(name), ...fields }, about === '' ? closed : { ...closed, description: about });

/** Written out, since typebox writes a tuple as older drafts had it. */
const keyAndValue = Type.Unsafe({
  type: 'array',
  prefixItems: [{ type: 'string' }, { $ref: '#/$defs/Wire' }],
  items: false,
  minItems: 2,
});

const tags = [
  tag('undefined'),
  tag('hole', {}, 'A place in an array that holds nothing.'),
  tag('number', { text: Type.Enum(['NaN', 'Infinity', '-Infinity', '-0']) }),
  tag('bigint', { text: Type.String({ pattern: '^-?[0-9]+$' }) }),
  tag('bytes', { type: Type.Enum(['Uint8Array', 'Buffer']), base64: Type.String() }),
  tag('date', { ms: Type.Union([Type.Number(), Type.Null()]) }, 'Milliseconds since 1970; null for an invalid date.'),
  tag('recipe', { name: names(recipes), token: Type.String() }, 'A value that the host makes. Only to a host.'),
  tag('object', { entries: Type.Array(keyAndValue) }, 'An object that has a key `$` of its own.'),
  tag('shared', { id: index(), value: ref('Wire') }, 'An object that is met again, inside itself or later.'),
  tag('same', { id: index() }, 'The object that was sent as `shared` under this number in this message.'),
  tag('opaque', { text: Type.String() }, 'What cannot travel, printed. Only from a host.'),
];

const site = Type.Object(
  { provider: Type.String(), mode: Type.String() },
  { additionalProperties: true, description: 'Where a subject finds its namespace; each provider adds fields.' },
);

const declaration = Type.Object(
  {
    offers: Type.Array(names(offers)),
    givesUp: Type.Partial(
      Type.Object(Object.fromEntries(promises.map((promise) => [promise, Type.String()])), closed),
      closed,
    ),
    extras: Type.Array(names(extras)),
    chunk: Type.Union([
      Type.Literal('none'),
      Type.Object({ rows: Type.Integer({ minimum: 1 }) }, closed),
      Type.Object({ params: Type.Integer({ minimum: 1 }) }, closed),
    ]),
    onFailure: Type.Enum(['outcomes', 'throws']),
    clock: Type.Enum(['database', 'caller']),
    body: Type.Enum(['json', 'text', 'bytes']),
    namespaces: Type.Enum(['explicit', 'onDemand']),
    timeResolution: Type.Number({ exclusiveMinimum: 0 }),
    limits: Type.Partial(
      Type.Object({ maxItems: Type.Integer({ minimum: 1 }), maxBytes: Type.Integer({ minimum: 1 }) }),
      closed,
    ),
    keyPolicy: Type.Enum(['refuse', 'skip', 'replace']),
    keysEqual: Type.Array(names(keyDifferences)),
    destinations: Type.Union([Type.Literal('any'), Type.Array(Type.String(), { minItems: 1 })]),
    idForm: Type.Enum(['text', 'uuid']),
    badChunkSize: Type.Enum(['refused', 'default']),
    blankIsAbsent: Type.Array(names(offers)),
    disorder: Type.Enum(['folded', 'refused']),
  },
  closed,
);

const manifest = Type.Object(
  {
    name: Type.String(),
    provider: Type.String(),
    variants: Type.Record(
      Type.String(),
      Type.Record(
        Type.String(),
        Type.Object(
          {
            statements: Type.Record(Type.String(), Type.String()),
            ownProbe: Type.Boolean(),
            members: Type.Union([Type.Array(Type.String()), Type.Null()]),
          },
          closed,
        ),
      ),
    ),
  },
  closed,
);

const failure = Type.Object(
  {
    name: Type.String(),
    message: Type.String(),
    code: Type.Optional(Type.String()),
    retryable: Type.Optional(Type.Boolean()),
    unknown: Type.Optional(Type.Literal(true)),
    position: Type.Optional(Type.Integer()),
    cause: Type.Optional(ref('Failure')),
  },
  closed,
);

const facts = Type.Object(
  {
    provider: Type.String(),
    mode: Type.String(),
    version: Type.String(),
    lacks: Type.Record(Type.String(), Type.String()),
  },
  closed,
);

const prepare = Type.Object(
  {
    compare: Type.Optional(Type.Boolean()),
    freeze: Type.Optional(Type.Boolean()),
    scramble: Type.Optional(Type.Enum(['inFlight', 'settled'])),
    signal: Type.Optional(Type.Enum(['live', 'aborted'])),
    holdTimers: Type.Optional(Type.Boolean()),
    transaction: Type.Optional(index()),
    context: Type.Optional(Type.String()),
  },
  closed,
);

const ask = (name: string, about: string, fields: Record<string, Type.TSchema> = {}) =>
  Type.Object({ id: index(), do: Type.Literal(name), ...fields }, { ...closed, description: about });

const requests = [
  ask('load', 'Loads the agents, by provider, then the backend. The value is a Manifest.', {
    backend: Type.Object({ url: Type.String(), export: Type.String() }, closed),
    agents: Type.Record(Type.String(), Type.String()),
    clockShift: Type.Number({ description: "Milliseconds that the host's clock is to be ahead." }),
    clockStandsAt: Type.Optional(Type.Number({ description: "Where the host's clock is to stand still: epoch ms." })),
  }),
  ask('declare', 'What a variant declares on this engine. The value is a Declaration.', {
    variant: Type.String(),
    contract: Type.String(),
    facts: ref('EngineFacts'),
  }),
  ask('open', 'Opens a subject or a probe as a session. The value is { members }.', {
    session: index(),
    as: Type.Enum(['subject', 'probe']),
    variant: Type.String(),
    contract: Type.String(),
    site: ref('Site'),
    mutants: Type.Array(Type.String()),
  }),
  ask('call', 'Calls a member of a subject. The reply has its value or what it threw.', {
    session: index(),
    member: Type.String(),
    args: ref('Wire'),
    prepare: ref('Prepare'),
  }),
  ask('begin', 'Begins a transaction as a caller does. The reply has its number or what it threw.', {
    session: index(),
  }),
  ask('transact', 'Runs a statement in a transaction, or ends it. The reply has its value or what it threw.', {
    transaction: index(),
    step: Type.Enum(['run', 'commit', 'rollback']),
    statement: Type.Optional(Type.String({ description: 'With `run` alone.' })),
  }),
  ask('cancel', 'Aborts the signal of the call with that id. The value is null.', { call: index() }),
  ask('rows', 'Reads by a probe. The value is { rows } or { missing }.', {
    session: index(),
    of: Type.String({ description: "The probe's function: `rows`, or what else the contract reads." }),
  }),
  ask('close', 'Closes a session. The value is null.', { session: index() }),
  ask('agent', "Calls the provider's agent. The value is what it returns.", {
    site: ref('Site'),
    method: Type.String(),
    args: ref('Wire'),
  }),
  ask('lies', 'How often each mutant of a session has lied. The value is an object of counts.', { session: index() }),
  ask('quiet', 'Waits until no timer of the subject is about to fire. The value is { timers, milliseconds }.'),
  ask('ping', 'The value is null.'),
];

const touched = Type.Optional(Type.String({ description: 'What the subject changed in its arguments, in words.' }));
const hostMessages = [
  Type.Object({ id: index(), value: ref('Wire'), touched }, { ...closed, description: 'It went well.' }),
  Type.Object({ id: index(), threw: ref('Failure'), touched }, { ...closed, description: 'The call threw.' }),
  Type.Object(
    { id: index(), refused: ref('Failure') },
    { ...closed, description: 'The host could not do what it was asked.' },
  ),
  Type.Object(
    { event: Type.Literal('stray'), failure: ref('Failure') },
    { ...closed, description: 'Thrown where nobody waits for it.' },
  ),
  Type.Object(
    { event: Type.Literal('console'), bytes: index(), text: Type.String() },
    { ...closed, description: 'Bytes written since the last such message, and what is kept of the text.' },
  ),
];

/** Everything that is said between the judge and a host, as JSON Schema. */
export const protocolSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Messages between the judge of contract-test and a host',
  description: 'docs/protocol.md tells the order of messages and what a host must do.',
  ...Type.Union([ref('Request'), ref('HostMessage')]),
  $defs: {
    Request: Type.Union(requests, { description: 'From the judge to a host.' }),
    HostMessage: Type.Union(hostMessages, { description: 'From a host to the judge.' }),
    Wire: Type.Union(
      [
        Type.Null(),
        Type.Boolean(),
        Type.Number(),
        Type.String(),
        Type.Array(ref('Wire')),
        ref('Tagged'),
        Type.Unsafe({
          type: 'object',
          propertyNames: { not: { const: '$' } },
          additionalProperties: { $ref: '#/$defs/Wire' },
        }),
      ],
      { description: 'A value: JSON, with tagged objects for what JSON cannot say.' },
    ),
    Tagged: Type.Union(tags),
    Failure: failure,
    Site: site,
    EngineFacts: facts,
    Prepare: prepare,
    Manifest: manifest,
    Declaration: declaration,
  },
};

/** The schema as the text of docs/protocol.schema.json; `node host/write-schema.ts` writes it there. */
export function schemaText(): string {
  return `${JSON.stringify(protocolSchema, null, 2)}\n`;
}
