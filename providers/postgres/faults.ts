import type { ArmedFault, Fault } from '../../contracts/kernel/engine.ts';
import { armAbort } from './abort-fault.ts';
import type { Place } from './armed-fault.ts';
import { armIdentity } from './identity-fault.ts';
import { armLock } from './lock-fault.ts';
import { armPoint } from './point-fault.ts';
import { armTrap } from './traps.ts';
import { armZone } from './zone-fault.ts';

/** Arms a fault by the mechanism that PostgreSQL has for it. */
export async function armFault(place: Place, fault: Fault): Promise<ArmedFault> {
  switch (fault.at) {
    case 'row':
    case 'poison':
    case 'commit':
      return armTrap(place, fault);
    case 'identity':
      return armIdentity(place, fault);
    case 'session':
      return armZone(place, fault);
    case 'lock':
    case 'start':
      return armLock(place);
    case 'rollback':
    case 'cut':
    case 'hold':
    case 'delay':
    case 'crash':
      return armPoint(place, fault);
    case 'abort':
      return armAbort(place, fault);
  }
}
