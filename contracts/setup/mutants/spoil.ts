import type { ArmedFault, Found, Lease } from '../../kernel/engine.ts';
import type { Bench, CallOptions, OpenOptions, Rig } from '../../kernel/guard.ts';
import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { Failure, Settled } from '../../kernel/outcome.ts';
import { except, withRigs } from '../../kernel/with-rigs.ts';

/** A lie about what a guard works with; the subject itself stays as it is. */
export function setupMutant(
  m: Pick<Mutant, 'id' | 'lie' | 'target'> &
    Partial<Pick<Mutant, 'alsoKilledBy' | 'expects' | 'cannot'>> & { bench: NonNullable<Mutant['bench']> },
): Mutant {
  return mutant({ ...m, wrap: (subject) => subject });
}

/** A bench whose leases are changed, wherever the guard meets one. */
export function withLeases(bench: Bench, change: (lease: Lease) => Partial<Lease>): Bench {
  const honest = new Map<Lease, Lease>();
  const spoiled = new Map<Lease, Lease>();
  const spoil = (lease: Lease): Lease => {
    const there = spoiled.get(lease);
    if (there) return there;
    const made = except(lease, change(lease));
    spoiled.set(lease, made);
    honest.set(made, lease);
    return made;
  };
  const inner = except(bench, {
    lease: async () => spoil(await bench.lease()),
    open: (options = {}) => {
      const lease = options.lease && (honest.get(options.lease) ?? options.lease);
      return bench.open({ ...options, ...(lease && { lease }) });
    },
  });
  return withRigs(inner, (rig) => except(rig, { lease: spoil(rig.lease) }));
}

/** A call of a subject, and the way to make it. */
export interface Call {
  member: string;
  args: unknown[];
  rig: Rig;
  options: OpenOptions;
  /** How the judge runs it. */
  call: CallOptions;
  /** Makes the call, with these arguments or with its own. */
  make(args?: unknown[], call?: CallOptions): Promise<Settled<unknown>>;
}

/** A bench whose subjects' calls are made by `spoil`. */
export function withCalls(bench: Bench, spoil: (call: Call) => Promise<Settled<unknown>>): Bench {
  return withRigs(bench, (rig, options) => {
    const subject = except(rig.subject, {
      call: (member, args, call = {}) =>
        spoil({
          ...{ member, args, rig, options, call },
          make: (other = args, otherwise = call) => rig.subject.call(member, other, otherwise),
        }),
    });
    return except(rig, { subject });
  });
}

/** A bench whose probe is read by `spoil`; `called` hears of every call of the subject that has settled. */
export function withProbe(
  bench: Bench,
  spoil: (rig: Rig) => { read(): Promise<Found>; called?(args: unknown[]): Promise<void> },
): Bench {
  return withRigs(bench, (rig) => {
    const probe = spoil(rig);
    const subject = except(rig.subject, {
      async call(member, args, options) {
        const settled = await rig.subject.call(member, args, options);
        await probe.called?.(args);
        return settled;
      },
    });
    return except(rig, { subject, read: () => probe.read() });
  });
}

/** A fault that was never armed. */
export const noFault: ArmedFault = {
  nonce: '',
  sprung: async () => ({ count: 0, rowsBefore: 0, raised: 0 }),
  disarm: async () => {},
};

/** What a subject throws that refuses an option. */
export function refusal(option: string): Failure {
  return { name: 'UnsupportedOption', message: `${option} is not supported` };
}
