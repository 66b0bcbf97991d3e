/** Guards that compare the whole schedule with what it has to be, and so see whatever is wrong with it. */
export const ofSchedules = [
  'materialize-window/audit-rows-per-slot',
  'materialize-window/same-instant-other-offset',
  'materialize-window/disordered-window-is-declared',
];

/** It compares every outcome of windows that have slots of all kinds. */
export const ofOutcomes = ['materialize-window/outcome-per-slot-in-order'];
