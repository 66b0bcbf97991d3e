import { type Static, Type } from 'typebox';
import { type Proof, type TrialStatus, trialStatuses } from '../runner/proof.ts';
import { absent, closed, count, engine, milliseconds, orNull, type Same, schemaText } from './schema.ts';

const path = Type.Object(
  {
    path: Type.String({ description: 'Engine, mode and variant: sqlite/file/prepared.' }),
    contract: Type.String(),
    backend: Type.String(),
    provider: Type.String(),
    ill: orNull(Type.String({ description: 'Why nothing was tried here.' })),
  },
  closed,
);

const guard = Type.Object(
  {
    contract: Type.String(),
    guard: Type.String(),
    level: Type.Enum(['must', 'should']),
    mutants: Type.Array(Type.String(), { description: 'Mutants that are aimed at it.' }),
    applies: Type.Integer({ minimum: 0, description: 'Paths on which it applies.' }),
    idle: Type.Boolean({ description: 'It applies somewhere, and no mutant is aimed at it.' }),
  },
  closed,
);

const mutant = Type.Object(
  {
    mutant: Type.String({ description: 'Its contract and its own name: send-batch/ids-reversed.' }),
    lie: Type.String({ description: 'What the spoiled subject does wrong, in one sentence.' }),
    target: Type.String({ description: 'The guard that must find it; none for a control.' }),
    expects: Type.Enum(['violated', 'vacuous'], { description: 'The verdict that the target must give.' }),
    only: orNull(
      Type.String({ description: 'Of which backends alone the lie can be told: elsewhere it may be inert.' }),
    ),
    control: Type.Boolean({ description: 'It tells no lie, and every guard must let it live.' }),
  },
  closed,
);

const trial = Type.Object(
  {
    provider: Type.String(),
    path: Type.String(),
    backend: Type.String(),
    contract: Type.String(),
    guard: Type.String(),
    mutant: Type.String({ description: 'Controls that stood before a guard together are joined by a plus.' }),
    role: Type.Enum(['target', 'other', 'control']),
    status: Type.Enum([...trialStatuses], { description: 'docs/prove.md says what each of them means.' }),
    lies: Type.Integer({ minimum: 0, description: 'How often it lied, as far as could be asked.' }),
    verdict: Type.Enum(['upheld', 'violated', 'vacuous', 'not-applicable', 'error']),
    case: orNull(Type.String({ description: 'The first case that broke the rule.' })),
    message: orNull(Type.String({ description: 'What the guard said, or why it had nothing to say.' })),
    replay: orNull(Type.String({ description: 'The command that shows this trial again.' })),
    durationMs: milliseconds(),
  },
  closed,
);

const counts = Object.fromEntries(trialStatuses.map((status) => [status, count()]));
const summary = Type.Object(counts as Record<TrialStatus, ReturnType<typeof count>>, {
  ...closed,
  description: 'Trials by status.',
});

/** The shape of what `prove --reporter json` writes; docs/proof.schema.json is this schema as a file. */
export const proofSchema = Type.Object(
  {
    version: Type.String({ description: 'Version of contract-test.' }),
    clauses: Type.Integer({ minimum: 1, description: 'The clause set that was proved.' }),
    seed: Type.Integer({ description: 'Everything random derives from it.' }),
    full: Type.Boolean({ description: 'Whether every mutant met every guard.' }),
    durationMs: milliseconds(),
    engines: Type.Array(engine),
    absent,
    paths: Type.Array(path),
    guards: Type.Array(guard),
    mutants: Type.Array(mutant),
    trials: Type.Array(trial),
    inertEverywhere: Type.Array(Type.Object({ mutant: Type.String(), provider: Type.String() }, closed), {
      description: 'Mutants that told no lie on any path of a provider although their targets apply there.',
    }),
    killed: Type.Object(
      { of: count(), killed: count() },
      {
        ...closed,
        description: 'Trials of mutants before their targets that ended in a kill, of all that took place.',
      },
    ),
    summary,
    exitCode: Type.Integer({ minimum: 0, maximum: 255 }),
    interrupted: orNull(Type.String({ description: 'Why the proof ended before its end.' })),
  },
  closed,
);

/** The schema as the text of docs/proof.schema.json. */
export function proofSchemaText(): string {
  return schemaText('Proof by contract-test that its guards can fail', proofSchema);
}

// Compiles only while the schema and the type say the same.
true satisfies Same<Static<typeof proofSchema>, Proof>;
