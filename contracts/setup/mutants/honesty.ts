import type { Mutant } from '../../kernel/mutant.ts';
import { except, withRigs } from '../../kernel/with-rigs.ts';
import { itemsOf, withItems } from './items.ts';
import { refusal, setupMutant, withCalls } from './spoil.ts';

const honest = 'setup/capability-is-honest';
const wrapping = 'setup/capability-survives-wrapping';

/** An option that items of every contract know, by the name of its offer. */
const option = 'route';

/** Members by which a capability is used, each in one contract. */
const usedBy: readonly string[] = ['flush', 'materializeWindow'];

/** Lies about what a backend says of itself. */
export const honestyMutants: Mutant[] = [
  setupMutant({
    id: 'claims-an-option-and-ignores-it',
    lie: 'Offers an option that never reaches the subject.',
    target: honest,
    bench(bench, lied) {
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
    id: 'claims-transactions-and-ignores-them',
    lie: "Offers to write in a caller's transaction, and never hands it to the subject.",
    target: honest,
    cannot: ({ offers }) => (offers.includes('transaction') ? undefined : 'no transaction can be begun'),
    bench: (bench, lied) =>
      withCalls(bench, ({ args, call, make }) => {
        const { transaction, ...others } = call;
        if (transaction) lied();
        return make(args, others);
      }),
  }),
  setupMutant({
    id: 'claims-a-member-that-is-not-there',
    lie: 'Claims a capability without the members by which it is used.',
    target: honest,
    bench(bench, lied) {
      const { declaration } = bench;
      const { bulk: _kept, ...givesUp } = declaration.givesUp;
      const claims = { ...declaration, givesUp, extras: [...new Set([...declaration.extras, 'buffered'] as const)] };
      const spoiled = withRigs(bench, (rig) => {
        lied();
        const members = rig.subject.members.filter((name) => !usedBy.includes(name));
        return except(rig, { subject: except(rig.subject, { members }) });
      });
      return except(spoiled, { declaration: claims });
    },
  }),
  setupMutant({
    id: 'refuses-what-it-offers',
    lie: 'Offers an option, and refuses every batch that uses it.',
    target: honest,
    bench(bench, lied) {
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
    bench(bench, lied) {
      const { declaration } = bench;
      const spoiled = withCalls(bench, async ({ args, make }) => {
        if (!itemsOf(args).some((item) => option in item)) return make();
        await make(withItems(args, ({ [option]: _, ...item }) => item));
        lied();
        return { threw: refusal(option) };
      });
      return except(spoiled, {
        declaration: { ...declaration, offers: declaration.offers.filter((offer) => offer !== option) },
      });
    },
  }),
  setupMutant({
    id: 'signal-passed-over',
    lie: 'Takes a signal although cancelling is not offered, and never looks at it.',
    target: honest,
    cannot: ({ offers: offered }) => (offered.includes('cancel') ? 'cancel is offered' : undefined),
    bench: (bench, lied) =>
      withCalls(bench, ({ args, call: { signal, ...call }, make }) => {
        if (signal) lied();
        return make(args, call);
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
