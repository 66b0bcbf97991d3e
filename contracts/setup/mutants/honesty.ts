import { metadataOptions, type Offer } from '../../kernel/capabilities.ts';
import type { Mutant } from '../../kernel/mutant.ts';
import { except, itemsOf, refusal, setupMutant, withCalls, withItems, withRigs } from './spoil.ts';

const honest = 'setup/capability-is-honest';
const wrapping = 'setup/capability-survives-wrapping';

/** Options that an item carries by the name of the offer. */
const ofItems: Offer[] = [...metadataOptions, 'dedupeKey', 'columns'];

/** Lies about what a backend says of itself. */
export const honestyMutants: Mutant[] = [
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
    lie: 'Claims an extra without the members by which it is used.',
    target: honest,
    bench(bench, lied) {
      const { declaration } = bench;
      const claims = { ...declaration, extras: [...new Set([...declaration.extras, 'buffered'] as const)] };
      const spoiled = withRigs(bench, (rig) => {
        lied();
        const members = rig.subject.members.filter((name) => name !== 'flush');
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
    cannot: ({ offers: offered }) =>
      ofItems.every((option) => offered.includes(option)) ? 'every such option is offered' : undefined,
    bench: (bench, lied) =>
      withCalls(bench, async ({ args, make }) => {
        const unknown = ofItems.filter((option) => !bench.declaration.offers.includes(option));
        const used = unknown.find((option) => itemsOf(args).some((item) => option in item));
        if (used === undefined) return make();
        await make(withItems(args, ({ [used]: _, ...item }) => item));
        lied();
        return { threw: refusal(used) };
      }),
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
