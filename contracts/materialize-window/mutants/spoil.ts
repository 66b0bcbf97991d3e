import { type Mutant, type MutantTools, mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type {
  Advance,
  AdvanceOutcome,
  MaterializeWindowPort,
  SingleSlot,
  SlotResult,
  Window,
  WindowOptions,
  WindowResult,
} from '../port.ts';

/** The writing members of a subject, each of which begins at once and reports by a promise. */
export interface Members {
  materializeWindow(window: Window, options: WindowOptions): Promise<WindowResult>;
  materialize(single: SingleSlot, options: WindowOptions): Promise<SlotResult>;
  advance(advance: Advance, options: WindowOptions): Promise<AdvanceOutcome>;
  putSchedules: MaterializeWindowPort['putSchedules'];
}
export type MaterializeWindow = Members['materializeWindow'];

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> &
  Partial<Pick<Mutant, 'alsoKilledBy' | 'expects' | 'timeout' | 'needs' | 'cannot' | 'only' | 'site'>>;

/** Guards that compare everything, and so find lies of every kind. */
const comparing = ['materialize-window/equals-the-model', 'materialize-window/equals-the-fold-of-singles'];
/** Likewise where the single members serve a window. */
const serving = 'materialize-window/fallback-equals-bulk';

/** A mutant that lies in the bulk member only; `spoil` is called once for each subject and may keep state. */
export function windowMutant(
  m: Described & { spoil(honest: MaterializeWindow, tools: MutantTools, members: Members): MaterializeWindow },
): Mutant {
  const { spoil, ...described } = m;
  return mutant<MaterializeWindowPort>({
    ...described,
    needs: ['bulk', ...(m.needs ?? [])],
    alsoKilledBy: others(m, comparing),
    wrap(subject, tools) {
      const members = honestly(subject);
      return { ...passedThrough(subject), materializeWindow: spoil(members.materializeWindow, tools, members) };
    },
  });
}

/** A mutant that lies in the members that `spoil` returns; in the bulk member where the subject has one. */
export function membersMutant(m: Described & { spoil(honest: Members, tools: MutantTools): Partial<Members> }): Mutant {
  const { spoil, ...described } = m;
  return mutant<MaterializeWindowPort>({
    ...described,
    alsoKilledBy: others(m, [...comparing, serving]),
    wrap(subject, tools) {
      const { materializeWindow, ...members } = spoil(honestly(subject), tools);
      return {
        ...passedThrough(subject),
        ...members,
        ...(subject.materializeWindow && materializeWindow && { materializeWindow }),
      };
    },
  });
}

/** The subject's own members. */
function honestly(subject: MaterializeWindowPort): Members {
  return {
    materializeWindow: async (window, options) => subject.materializeWindow!(window, options),
    materialize: async (single, options) => subject.materialize(single, options),
    advance: async (advance, options) => subject.advance(advance, options),
    putSchedules: (schedules) => subject.putSchedules(schedules),
  };
}

function others({ target, alsoKilledBy = [] }: Described, guards: readonly string[]): string[] {
  return [...new Set([...guards, ...alsoKilledBy])].filter((guard) => guard !== target);
}
