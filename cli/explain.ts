import { Command } from 'commander';
import type { Contract, Guard } from '../contracts/kernel/guard.ts';
import type { Mutant } from '../contracts/kernel/mutant.ts';
import { paint, type Terminal, terminalOf } from '../reporters/terminal.ts';
import { indented, paragraph, visible } from '../reporters/text.ts';
import { UsageError } from '../runner/usage-error.ts';
import type { Context } from './context.ts';
import { needInWords } from './needs.ts';
import { guardsAlike } from './suggest.ts';

/** Tells all about one guard: the rule, what it takes, what it must see, and what proves that it can fail. */
export function explainCommand(context: Context): Command {
  return new Command('explain')
    .description('tell all about one guard')
    .argument('<guard>', 'id of a guard, or its unique end, such as ids-in-caller-order')
    .action(async (given: string) => {
      const toolkit = await context.load();
      const guard = findGuard(given, toolkit.contracts);
      const mutants = (await toolkit.mutants()).filter((mutant) => mutant.target === guard.id);
      const lines = renderGuard(guard, mutants, terminalOf(context.stdout, context.env));
      context.stdout.write(`${lines.join('\n')}\n`);
    });
}

/** Finds a guard by its id, or by an end of it that no other guard shares. */
function findGuard(given: string, contracts: readonly Contract[]): Guard {
  const guards = new Map(contracts.flatMap((contract) => contract.guards).map((guard) => [guard.id, guard]));
  const exact = guards.get(given);
  if (exact) return exact;
  const ending = [...guards.keys()].filter((id) => id.endsWith(`/${given}`));
  if (ending.length === 1) return guards.get(ending[0]!)!;
  if (ending.length > 1) throw new UsageError(`several guards end in ${given}`, `name one: ${ending.join(', ')}`);
  const alike = guardsAlike(given, [...guards.values()], 3);
  const hint = alike.length > 0 ? `did you mean ${alike.join(' or ')}?` : 'contract-test list shows all';
  throw new UsageError(`there is no guard ${JSON.stringify(given)}`, hint);
}

function renderGuard(guard: Guard, mutants: Pick<Mutant, 'id' | 'lie'>[], terminal: Terminal): string[] {
  const inner = { ...terminal, width: terminal.width - 2 };
  return [
    `${paint(terminal, 'bold', guard.id)}  (${guard.level}, since clause set ${guard.since})`,
    ...indented([
      ...paragraph('', visible(guard.statement, terminal), inner.width),
      '',
      ...listed('needs', needs(guard), inner),
      ...listed('evidence', [...guard.proves, 'without it the verdict is vacuous and proves nothing'], inner),
      ...listed(
        'mutants',
        mutants.map((m) => `${m.id}: ${m.lie}`),
        inner,
      ),
      '',
      `run it    npx contract-test --guard ${guard.id}`,
      `prove it  npx contract-test prove --guard ${guard.id}`,
    ]),
  ];
}

function needs(guard: Guard): string[] {
  const all = guard.needs.map(needInWords);
  if (guard.needsThread) all.push('a host in another thread or process');
  if (guard.exclusive) all.push('nothing else runs beside it');
  if (guard.foundation) all.push('every other verdict on the path rests on it');
  return all.length === 0 ? ['nothing: it applies to every backend'] : all;
}

function listed(label: string, items: string[], terminal: Terminal): string[] {
  return items.flatMap((item, i) =>
    paragraph((i === 0 ? label : '').padEnd(10), visible(item, terminal), terminal.width),
  );
}
