import type { Mutant } from '../../kernel/mutant.ts';
import { writingMutants } from '../../writing/mutants/index.ts';
import { ambientMutants } from './ambient.ts';
import { arrivalMutants } from './arrival.ts';
import { sendBatching } from './batches.ts';
import { bodyMutants } from './bodies.ts';
import { bufferMutants } from './buffered.ts';
import { chunkSizeMutants } from './chunk-size.ts';
import { controls } from './controls.ts';
import { defaultMutants } from './defaults.ts';
import { errorMutants } from './errors.ts';
import { failureMutants } from './failure.ts';
import { falsyMutants } from './falsy.ts';
import { givenIdMutants } from './given-ids.ts';
import { heldMutants } from './held.ts';
import { heldWayMutants } from './held-ways.ts';
import { identicalMutants } from './identical.ts';
import { idMutants } from './ids.ts';
import { inputMutants } from './inputs.ts';
import { keyMutants } from './keys/index.ts';
import { lostAckMutants } from './lost-ack.ts';
import { metadataMutants } from './metadata.ts';
import { outcomeFieldMutants } from './outcome-fields.ts';
import { ownReadMutants } from './own-reads.ts';
import { partialMutants } from './partial.ts';
import { racingMutants } from './racing.ts';
import { refusalMutants } from './refusals.ts';
import { roundTripMutants } from './round-trips.ts';
import { shapeMutants } from './shapes.ts';
import { sideTableMutants } from './side-tables.ts';
import { splitMutants } from './split.ts';
import { statusRowMutants } from './status-rows.ts';
import { syncMutants } from './sync.ts';
import { timeMutants } from './time.ts';
import { unusualMutants } from './unusual.ts';

/** The behavioural mutants of `send-batch`. */
export const sendBatchMutants: Mutant[] = [
  ...controls,
  ...writingMutants(sendBatching),
  ...idMutants,
  ...identicalMutants,
  ...failureMutants,
  ...refusalMutants,
  ...metadataMutants,
  ...shapeMutants,
  ...unusualMutants,
  ...splitMutants,
  ...defaultMutants,
  ...bodyMutants,
  ...timeMutants,
  ...sideTableMutants,
  ...statusRowMutants,
  ...roundTripMutants,
  ...inputMutants,
  ...lostAckMutants,
  ...heldMutants,
  ...heldWayMutants,
  ...errorMutants,
  ...keyMutants,
  ...ambientMutants,
  ...arrivalMutants,
  ...bufferMutants,
  ...chunkSizeMutants,
  ...falsyMutants,
  ...givenIdMutants,
  ...outcomeFieldMutants,
  ...ownReadMutants,
  ...partialMutants,
  ...racingMutants,
  ...syncMutants,
];
