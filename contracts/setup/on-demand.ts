import { failureText, premise } from '../kernel/checks.ts';
import { type Bench, type Guard, type Rig, Violation } from '../kernel/guard.ts';
import { withRigs } from '../kernel/with-rigs.ts';
import { failureOf, type Writes } from '../kernel/writes.ts';

/**
 * The guard, with subjects whose namespace is there when it gets them: one that appears with the first write is made to
 * appear by a single write, of which nothing is left.
 */
export function withNamespace<Item>(w: Writes<Item>, guard: Guard): Guard {
  return {
    ...guard,
    check: (bench) => guard.check(bench.declaration.namespaces === 'onDemand' ? created(w, bench) : bench),
  };
}

function created<Item>(w: Writes<Item>, bench: Bench): Bench {
  return withRigs(bench, async (rig, { uncreated }) => {
    if (!uncreated) await create(w, bench, rig);
    return rig;
  });
}

async function create<Item>(w: Writes<Item>, bench: Bench, rig: Rig): Promise<void> {
  if (!('missing' in (await rig.read()))) return;
  const before = await rig.lease.snapshot();
  const [item] = w.items(bench, 1, 'bare');
  await premise('the write by which the namespace appears', async () => {
    const failure = failureOf(await w.writeOne(rig, item!));
    if (failure) throw new Violation(failureText(failure));
  });
  await rig.lease.restore(before);
}
