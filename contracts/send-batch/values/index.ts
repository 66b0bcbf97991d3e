import type { Guard } from '../../kernel/guard.ts';
import { bodyRoundTrips } from './bodies.ts';
import { defaultsArePerRow } from './defaults.ts';
import { explicitFalsyIsKept } from './falsy.ts';
import { batchEqualsSingles, metadataRoundTrips, mixedShapesKeepTheirColumns } from './metadata.ts';
import { outcomeDescribesItsMessage } from './outcome-fields.ts';
import { statusRowPerMessage } from './status.ts';
import { clockIsTheDeclaredOne, timeIsExact } from './time.ts';

/** With which values messages are stored, and told of in outcomes. */
export const valueGuards: Guard[] = [
  metadataRoundTrips,
  batchEqualsSingles,
  mixedShapesKeepTheirColumns,
  defaultsArePerRow,
  explicitFalsyIsKept,
  bodyRoundTrips,
  timeIsExact,
  clockIsTheDeclaredOne,
  outcomeDescribesItsMessage,
  statusRowPerMessage,
];
