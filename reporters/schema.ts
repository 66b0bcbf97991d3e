import { type Static, Type } from 'typebox';
import type { Report } from '../runner/report.ts';

export const closed = { additionalProperties: false };
export const orNull = <T extends Type.TSchema>(type: T) => Type.Union([type, Type.Null()]);
export const count = () => Type.Integer({ minimum: 0 });
export const milliseconds = () => Type.Number({ minimum: 0, description: 'Milliseconds.' });

const check = Type.Object(
  {
    name: Type.String(),
    ok: Type.Boolean(),
    detail: Type.String({ description: 'What was seen, in words.' }),
    mode: Type.String(),
  },
  closed,
);

/** An engine that was started. */
export const engine = Type.Object(
  {
    provider: Type.String(),
    version: Type.String(),
    modes: Type.Array(Type.String()),
    startMs: milliseconds(),
    kept: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'The name of its schema or file.' }),
          where: Type.String({ description: 'The folder or the server that it is in, in words.' }),
        },
        closed,
      ),
      { description: 'Namespaces that --keep left in place.' },
    ),
    doctor: Type.Array(check, { description: 'What was tried on the engine before anything was judged on it.' }),
  },
  closed,
);

/** Engines that could not be had. */
export const absent = Type.Array(
  Type.Object(
    {
      provider: Type.String(),
      reason: Type.String({ description: 'Why it could not be had, and what would help.' }),
    },
    closed,
  ),
  { description: 'Engines that could not be had, and without which the run went on.' },
);

const path = Type.Object(
  {
    path: Type.String({ description: 'Engine, mode and variant: sqlite/file/prepared.' }),
    contract: Type.String(),
    backend: Type.String(),
    givesUp: Type.Record(Type.String(), Type.String(), {
      description: 'Promises that the backend gives up, each with its reason.',
    }),
    console: Type.Object({ bytes: count(), text: Type.String() }, closed),
  },
  closed,
);

const slot = Type.Object(
  {
    slot: count(),
    mark: Type.Enum(['ok', 'lost', 'duplicated', 'reordered', 'torn', 'changed', 'wrong']),
    sent: Type.String(),
    expected: Type.String(),
    stored: Type.String(),
  },
  closed,
);

const verdict = Type.Object(
  {
    guard: Type.String(),
    level: Type.Enum(['must', 'should']),
    statement: Type.String({ description: 'The rule in one sentence.' }),
    contract: Type.String(),
    backend: Type.String(),
    provider: Type.String(),
    mode: Type.String(),
    variant: Type.String(),
    path: Type.String(),
    verdict: Type.Enum(['upheld', 'violated', 'vacuous', 'not-applicable', 'error']),
    case: orNull(Type.String({ description: 'The first case that broke the rule.' })),
    cases: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          verdict: Type.Enum(['upheld', 'violated', 'error', 'not-applicable']),
          reason: Type.Optional(Type.String({ description: 'Why it was left out, where it was.' })),
        },
        closed,
      ),
    ),
    message: orNull(Type.String()),
    counterexample: orNull(
      Type.Object(
        { input: Type.String({ description: 'What was done, in words.' }), slots: Type.Array(slot) },
        { ...closed, description: 'The smallest input that was found to break the rule, aligned by slot.' },
      ),
    ),
    trace: orNull(
      Type.Array(Type.String(), {
        description: 'What the subject sent to its engine in that case, with --trace; null where it was not recorded.',
      }),
    ),
    evidence: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
    replay: orNull(Type.String({ description: 'The command that runs this case again.' })),
    reason: orNull(Type.String({ description: 'Why it does not apply, or which evidence is missing.' })),
    by: orNull(Type.Enum(['backend', 'engine', 'host', 'run'], { description: 'Who says that it does not apply.' })),
    durationMs: milliseconds(),
  },
  closed,
);

/** The shape of what `--reporter json` writes; docs/report.schema.json is this schema as a file. */
export const reportSchema = Type.Object(
  {
    version: Type.String({ description: 'Version of contract-test.' }),
    clauses: Type.Integer({ minimum: 1, description: 'The clause set that was judged.' }),
    seed: Type.Integer({ description: 'Everything random in the run derives from it.' }),
    mutants: Type.Array(Type.String(), {
      description: 'Mutants that spoiled every subject; none where the backends themselves were judged.',
    }),
    durationMs: milliseconds(),
    firstVerdictMs: orNull(milliseconds()),
    engines: Type.Array(engine),
    absent,
    paths: Type.Array(path),
    summary: Type.Object(
      {
        upheld: count(),
        violated: count(),
        vacuous: count(),
        notApplicable: count(),
        error: count(),
        total: count(),
      },
      closed,
    ),
    counts: Type.Object({ guards: count(), cases: count(), generated: count(), items: count() }, closed),
    verdicts: Type.Array(verdict),
    exitCode: Type.Integer({ minimum: 0, maximum: 255 }),
    interrupted: orNull(Type.String({ description: 'Why the run ended before its end.' })),
  },
  closed,
);

/** The schema as the text of docs/report.schema.json; `node reporters/write-schema.ts` writes it there. */
export function schemaText(title = 'Report of a contract-test run', schema: Type.TSchema = reportSchema): string {
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title };
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`;
}

type FromSchema = Static<typeof reportSchema>;
/** `true` where two types take the same values, else `never`. */
export type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
// Compiles only while the schema and the report's type say the same.
true satisfies Same<FromSchema, Report>;
