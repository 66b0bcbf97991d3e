/** What a cut, an abort or a crash between two commits brings to light. */
export const betweenCommits = [
  'lost-ack-is-all-or-nothing',
  'cancelled-is-all-or-nothing',
  'abort-takes-effect',
  'server-abort-is-reported',
  'acknowledged-survives-crash',
];

/** What finds rows of a refused batch that have stayed. */
export const ofKeptRows = [
  'failures-at-once-leave-nothing',
  'no-partial-visibility',
  'backend-usable-after-failure',
  'setup/fault-fires',
  'setup/chunks-are-crossed',
  'transient-fault-ends-whole',
  'is-one-commit',
  'concurrent-failure-is-isolated',
  ...betweenCommits,
];

/** Where each item is a write of its own, everything about whole batches may notice. */
export const ofSingles = [
  'nothing-persists-after-failure',
  'no-partial-visibility',
  'backend-usable-after-failure',
  'commit-failure-is-reported',
  'transient-fault-ends-whole',
  'concurrent-failure-is-isolated',
  'server-abort-is-reported',
  'lost-ack-is-all-or-nothing',
  'unknown-is-told',
  'acknowledged-survives-crash',
  'cancelled-is-all-or-nothing',
  'abort-takes-effect',
  'usable-after-abort',
  'setup/capability-is-honest',
  'setup/chunks-are-crossed',
];
