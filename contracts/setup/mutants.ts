import { type Declaration, offers } from '../kernel/capabilities.ts';
import type { Lease } from '../kernel/engine.ts';
import type { Rig } from '../kernel/guard.ts';
import type { Mutant } from '../kernel/mutant.ts';
import { declaredChunkRows, grown } from '../kernel/writes.ts';
import {
  except,
  itemsOf,
  noFault,
  refusal,
  setupMutant,
  withCalls,
  withItems,
  withLeases,
  withProbe,
  withRigs,
} from './spoil.ts';

const exists = 'setup/namespace-exists';
const independent = 'setup/probe-is-independent';
const torn = 'setup/probe-sees-a-torn-batch';
const isolated = 'setup/namespaces-are-isolated';
const single = 'setup/single-write-is-seen';
const fires = 'setup/fault-fires';
const chunks = 'setup/chunks-are-crossed';
const distinct = 'setup/items-are-distinct';
const race = 'setup/race-happened';
const honest = 'setup/capability-is-honest';
const wrapping = 'setup/capability-survives-wrapping';

const foundation = [
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
];

const singleWrite = [
  setupMutant({
    id: 'single-send-stores-nothing',
    lie: 'A single write is reported as stored, and is not.',
    target: single,
    bench: (bench, lied) =>
      withCalls(bench, async ({ args, rig, make }) => {
        if (itemsOf(args).length !== 1) return make();
        const before = await rig.lease.snapshot();
        const settled = await make();
        if (Object.keys(grown(before, await rig.lease.snapshot())).length > 0) {
          lied();
          await rig.lease.restore(before);
        }
        return settled;
      }),
  }),
  setupMutant({
    id: 'probe-drops-a-column',
    lie: 'The probe leaves out a column whose value the subject was given.',
    target: single,
    cannot: ({ offers: offered }) => (offered.length === 0 ? 'no option is offered' : undefined),
    bench: (bench, lied) =>
      withProbe(bench, (rig) => {
        const given = new Set<string>();
        return {
          async called(args) {
            for (const { body: _, ...options } of itemsOf(args))
              for (const value of Object.values(options)) given.add(asText(value));
          },
          async read() {
            const found = await rig.read();
            if (!('rows' in found)) return found;
            return { rows: found.rows.map((row) => withoutOne(row, given, lied)) };
          },
        };
      }),
  }),
];

const evidence = [
  setupMutant({
    id: 'fault-is-never-armed',
    lie: 'A fault is said to be armed, and is not.',
    target: fires,
    expects: 'vacuous',
    bench: (bench, lied) =>
      withLeases(bench, () => ({
        async arm() {
          lied();
          return noFault;
        },
      })),
  }),
  setupMutant({
    id: 'fault-is-not-counted',
    lie: 'A fault fires, but its count goes with the transaction that it ends.',
    target: fires,
    expects: 'vacuous',
    bench: (bench, lied) =>
      withLeases(bench, (lease) => ({
        async arm(fault) {
          const armed = await lease.arm(fault);
          return except(armed, {
            async sprung() {
              lied();
              return noFault.sprung();
            },
          });
        },
      })),
  }),
  setupMutant({
    id: 'fault-outlives-its-removal',
    lie: 'A fault that was disarmed goes on firing.',
    target: fires,
    cannot: (_, { lacks }) => lacks.observer && `a fresh subject would not meet it: ${lacks.observer}`,
    bench: (bench, lied) =>
      withLeases(bench, (lease) => ({
        async arm(fault) {
          const armed = await lease.arm(fault);
          return except(armed, {
            async disarm() {
              lied();
            },
          });
        },
      })),
  }),
  setupMutant({
    id: 'chunk-size-overstated',
    lie: 'Declares that a statement carries more items than it does.',
    target: chunks,
    cannot: ({ chunk }) => (chunk === 'none' ? 'a batch is one statement, whatever its size' : undefined),
    bench(bench, lied) {
      lied();
      return except(bench, {
        declaration: { ...bench.declaration, chunk: { rows: 2 * declaredChunkRows(bench.declaration) } },
      });
    },
  }),
  setupMutant({
    id: 'chunk-is-denied',
    lie: 'Declares one statement where a batch takes several, and several where it takes one.',
    target: chunks,
    bench(bench, lied) {
      lied();
      const chunk = bench.declaration.chunk === 'none' ? { rows: 3 } : ('none' as const);
      return except(bench, { declaration: { ...bench.declaration, chunk } });
    },
  }),
  setupMutant({
    id: 'generator-repeats-an-option',
    lie: 'The second item of a batch gets the options of the first.',
    target: distinct,
    expects: 'vacuous',
    cannot: ({ offers: offered }) => (offered.length === 0 ? 'no option is offered' : undefined),
    bench: (bench, lied) =>
      except(bench, {
        draw(values) {
          const drawn = bench.draw(values);
          if (!Array.isArray(drawn) || drawn.length < 2) return drawn;
          lied();
          return drawn.with(1, drawn[0]) as typeof drawn;
        },
      }),
  }),
  setupMutant({
    id: 'mutex-round-the-subject',
    lie: 'Calls wait for each other, those of other subjects too.',
    target: race,
    expects: 'vacuous',
    bench(bench, lied) {
      let last: Promise<unknown> = Promise.resolve();
      let running = 0;
      return withCalls(bench, ({ make }) => {
        if (running > 0) lied();
        running += 1;
        const call = last.then(() => make()).finally(() => (running -= 1));
        last = call.catch(() => {});
        return call;
      });
    },
  }),
];

const honesty = [
  setupMutant({
    id: 'claims-an-option-and-ignores-it',
    lie: 'Offers an option that never reaches the subject.',
    target: honest,
    bench(bench, lied) {
      const option = 'route';
      const { declaration } = bench;
      const offered = [...new Set([...declaration.offers, option] as const)];
      const spoiled = withCalls(bench, ({ args, make }) => {
        if (!itemsOf(args).some((item) => option in item)) return make();
        lied();
        return make(withItems(args, ({ [option]: _, ...item }) => item));
      });
      return except(spoiled, { declaration: { ...declaration, offers: offered } });
    },
  }),
  setupMutant({
    id: 'refuses-what-it-offers',
    lie: 'Offers an option, and refuses every batch that uses it.',
    target: honest,
    bench(bench, lied) {
      const option = 'route';
      const { declaration } = bench;
      const offered = [...new Set([...declaration.offers, option] as const)];
      const spoiled = withCalls(bench, async ({ args, make }) => {
        if (!itemsOf(args).some((item) => option in item)) return make();
        lied();
        return { threw: refusal(option) };
      });
      return except(spoiled, { declaration: { ...declaration, offers: offered } });
    },
  }),
  setupMutant({
    id: 'refuses-after-writing',
    lie: 'Refuses an option that is not offered when the batch without it is stored already.',
    target: honest,
    bench: (bench, lied) =>
      withCalls(bench, async ({ args, make }) => {
        const unknown = offers.filter((offer) => !bench.declaration.offers.includes(offer));
        const used = unknown.find((offer) => itemsOf(args).some((item) => offer in item));
        if (used === undefined) return make();
        await make(withItems(args, ({ [used]: _, ...item }) => item));
        lied();
        return { threw: refusal(used) };
      }),
  }),
  setupMutant({
    id: 'capability-read-by-instance',
    lie: 'Behind a wrapper the subject has lost a member.',
    target: wrapping,
    bench: (bench, lied) =>
      withRigs(bench, (rig, { wrapped }) => {
        if (!wrapped) return rig;
        lied();
        return except(rig, { subject: except(rig.subject, { members: rig.subject.members.slice(1) }) });
      }),
  }),
  setupMutant({
    id: 'wrapper-loses-the-options',
    lie: 'Behind a wrapper items keep their bodies only.',
    target: wrapping,
    cannot: ({ offers: offered }) => (offered.length === 0 ? 'no option is offered' : undefined),
    bench: (bench, lied) =>
      withCalls(bench, ({ args, options, make }) => {
        if (!options.wrapped) return make();
        lied();
        return make(withItems(args, ({ body }) => ({ body })));
      }),
  }),
];

/** Lies about what guards work with, in the judge: leases, faults, probes, declarations, generated items. */
export const setupMutants: Mutant[] = [...foundation, ...singleWrite, ...evidence, ...honesty];

function appearsOnDemand({ namespaces }: Pick<Declaration, 'namespaces'>, lacking: string | undefined): boolean {
  return namespaces === 'onDemand' || lacking !== undefined;
}

/** The row without the first column that holds what a subject was given. */
function withoutOne(row: Record<string, unknown>, given: ReadonlySet<string>, lied: () => void) {
  const column = Object.keys(row).find((name) => name !== 'id' && given.has(asText(row[name])));
  if (column === undefined) return row;
  lied();
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== column));
}

/** A value as text, alike for a number and for the bigint or the JSON that it was stored as. */
function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
