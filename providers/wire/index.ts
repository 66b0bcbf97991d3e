/** A pass-through proxy that follows PostgreSQL's frontend/backend protocol (version 3) and counts what passes. */
export { printTraffic, printWatched } from './print.ts';
export type { Counts, Moment, Recording, RecordOptions, Traffic } from './recording.ts';
export type { WireStatement } from './statement.ts';
export { openTap, type Tap } from './tap.ts';
export type { Upstream } from './upstream.ts';
