/** A pass-through proxy that follows PostgreSQL's frontend/backend protocol (version 3), counts what passes, and can interfere with it. */
export { type Act, cutting, holding, type Victim } from './interference.ts';
export { parameterCount } from './messages.ts';
export { printTraffic, printWatched } from './print.ts';
export type { Counts, Moment, Recording, RecordOptions, Traffic } from './recording.ts';
export type { WireStatement } from './statement.ts';
export { type Armed, openTap, type Tap } from './tap.ts';
export type { Upstream } from './upstream.ts';
