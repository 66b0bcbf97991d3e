import type { Declaration } from '../../kernel/capabilities.ts';
import type { Lease, Snapshot } from '../../kernel/engine.ts';
import type { Rig } from '../../kernel/guard.ts';
import type { Mutant } from '../../kernel/mutant.ts';
import { except, withRigs } from '../../kernel/with-rigs.ts';
import { itemsOf } from './items.ts';
import { refusal, setupMutant, withCalls, withLeases, withProbe } from './spoil.ts';

const exists = 'setup/namespace-exists';
const independent = 'setup/probe-is-independent';
const torn = 'setup/probe-sees-a-torn-batch';
const isolated = 'setup/namespaces-are-isolated';
const batch = 'setup/batch-is-seen';

/** Lies about the namespace, the probe that reads it, and a plain batch. */
export const foundationMutants: Mutant[] = [
  setupMutant({
    id: 'open-creates-nothing',
    lie: 'Nothing is there when a subject has been opened; where namespaces appear on demand, nothing after a call.',
    target: exists,
    bench(bench, lied) {
      const remove = async (rig: Rig) => {
        lied();
        await rig.lease.wipe();
      };
      if (appearsOnDemand(bench.declaration, bench.facts.lacks.namespaces)) {
        return withProbe(bench, (rig) => ({ read: () => rig.read(), called: () => remove(rig) }));
      }
      return withRigs(bench, async (rig) => {
        await remove(rig);
        return rig;
      });
    },
  }),
  setupMutant({
    id: 'probe-says-empty-for-missing',
    lie: 'The probe takes a namespace that is not there for an empty one.',
    target: exists,
    cannot: ({ namespaces }, { lacks }) =>
      appearsOnDemand({ namespaces }, lacks.namespaces) ? 'namespaces appear on demand' : undefined,
    bench: (bench, lied) =>
      withProbe(bench, (rig) => ({
        async read() {
          const found = await rig.read();
          if ('rows' in found) return found;
          lied();
          return { rows: [] };
        },
      })),
  }),
  setupMutant({
    id: 'probe-echoes-the-subject',
    lie: 'The probe shows what the subject was seen to store, whatever has become of it.',
    target: independent,
    bench: (bench, lied) =>
      withProbe(bench, (rig) => {
        const remembered = new Map<string, Record<string, unknown>>();
        return {
          async called() {
            const found = await rig.read();
            if ('rows' in found) for (const row of found.rows) remembered.set(String(row.id), row);
          },
          async read() {
            const found = await rig.read();
            if (!('rows' in found) || found.rows.length !== remembered.size) lied();
            return { rows: [...remembered.values()] };
          },
        };
      }),
  }),
  setupMutant({
    id: 'probe-caches-its-first-read',
    lie: 'The probe reads until it has seen something, and shows that ever after.',
    target: independent,
    bench: (bench, lied) =>
      withProbe(bench, (rig) => {
        let cached: Record<string, unknown>[] = [];
        return {
          async read() {
            if (cached.length > 0) {
              lied();
              return { rows: cached };
            }
            const found = await rig.read();
            if ('rows' in found) cached = found.rows;
            return found;
          },
        };
      }),
  }),
  setupMutant({
    id: 'probe-rounds-to-all-or-none',
    lie: 'The probe shows nothing where it finds only a part of what was once there.',
    target: torn,
    bench: (bench, lied) =>
      withProbe(bench, (rig) => {
        let most = 0;
        const count = async () => {
          const found = await rig.read();
          if ('rows' in found) most = Math.max(most, found.rows.length);
          return found;
        };
        return {
          called: async () => void (await count()),
          async read() {
            const found = await count();
            if (!('rows' in found) || found.rows.length === most || found.rows.length === 0) return found;
            lied();
            return { rows: [] };
          },
        };
      }),
  }),
  setupMutant({
    id: 'leases-share-a-table',
    lie: 'The second lease is the first one once more.',
    target: isolated,
    bench(bench, lied) {
      let first: Lease | undefined;
      return except(bench, {
        async open(options = {}) {
          if (first && !options.lease) {
            lied();
            return bench.open({ ...options, lease: first });
          }
          const rig = await bench.open(options);
          first ??= rig.lease;
          return rig;
        },
      });
    },
  }),
  setupMutant({
    id: 'reset-clears-the-neighbour',
    lie: 'Restoring one lease removes what is in all the others.',
    target: isolated,
    bench(bench, lied) {
      const leases = new Set<Lease>();
      return withLeases(bench, (lease) => {
        leases.add(lease);
        return {
          async restore(snapshot) {
            await lease.restore(snapshot);
            for (const other of leases) {
              // One that was released is no neighbour any more, and cannot be wiped.
              if (other !== lease) await other.wipe().then(lied, () => {});
            }
          },
        };
      });
    },
  }),
  setupMutant({
    id: 'batch-comes-late',
    lie: 'A batch of several is stored only once its subject has been waited for.',
    target: batch,
    bench: (bench, lied) =>
      withRigs(bench, (rig) => {
        const { lease } = rig;
        let late: Snapshot | undefined;
        const subject = except(rig.subject, {
          async call(member, args, options) {
            const before = await lease.snapshot();
            const settled = await rig.subject.call(member, args, options);
            if (itemsOf(args).length > 1) {
              late = await lease.snapshot();
              await lease.restore(before);
              lied();
            }
            return settled;
          },
        });
        const quiet = async () => {
          if (late) await lease.restore(late);
          late = undefined;
          return rig.quiet();
        };
        return except(rig, { subject, quiet });
      }),
  }),
  setupMutant({
    id: 'batch-is-refused',
    lie: 'Every batch of more than ten fails.',
    target: batch,
    bench: (bench, lied) =>
      withCalls(bench, async ({ args, make }) => {
        if (itemsOf(args).length <= 10) return make();
        lied();
        return { threw: refusal('a batch of more than ten') };
      }),
  }),
];

function appearsOnDemand({ namespaces }: Pick<Declaration, 'namespaces'>, lacking: string | undefined): boolean {
  return namespaces === 'onDemand' || lacking !== undefined;
}
