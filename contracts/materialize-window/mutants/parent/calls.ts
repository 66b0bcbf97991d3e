import type { Need } from '../../../kernel/capabilities.ts';
import type { Mutant, MutantTools } from '../../../kernel/mutant.ts';
import type {
  Advance,
  AdvanceOutcome,
  Schedule,
  Slot,
  SlotLoss,
  Window,
  WindowOptions,
  WindowResult,
} from '../../port.ts';
import { type Members, membersMutant } from '../spoil.ts';
import { Notes } from './notes.ts';

/** What a lie may ask the subject, and what it may know. */
export interface Honest {
  /** The subject's own answer: to a window, or to a single slot as a window of one. */
  ask(window: Window): Promise<WindowResult>;
  advance(advance: Advance): Promise<AdvanceOutcome>;
  put(schedule: Schedule): Promise<void>;
  notes: Notes;
  tools: MutantTools;
}

/** Answers a call in the subject's place. */
export type Answer = (window: Window, honest: Honest) => Promise<WindowResult>;

interface Lies {
  /** Answers windows; a backend without the bulk member tells no such lie. */
  window?: Answer;
  /** Answers single slots, each as a window of one. */
  single?: Answer;
  advance?: (advance: Advance, honest: Omit<Honest, 'ask'>) => Promise<AdvanceOutcome>;
}

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> & Partial<Pick<Mutant, 'alsoKilledBy' | 'needs' | 'cannot'>>;

/** A mutant that lies in some members, and takes notes of what all of them are told. */
export function lyingMutant({ lies, ...described }: Described & { lies: Lies }): Mutant {
  const onlyBulk: Need[] = lies.single || lies.advance ? [] : ['bulk'];
  return membersMutant({
    ...described,
    needs: [...onlyBulk, ...(described.needs ?? [])],
    spoil(members, tools) {
      const notes = new Notes();
      const { window: answerWindow = honestly, single: answerSingle = honestly } = lies;
      const beside = (options: WindowOptions): Omit<Honest, 'ask'> => ({
        advance: (advance) => members.advance(advance, options),
        put: async (schedule) => members.putSchedules([schedule]),
        notes,
        tools,
      });
      const honest = (ask: Honest['ask'], options: WindowOptions): Honest => ({
        ...beside(options),
        async ask(window) {
          const result = await ask(window);
          notes.told(window, result);
          return result;
        },
      });
      return {
        putSchedules(schedules) {
          notes.put(schedules);
          return members.putSchedules(schedules);
        },
        materializeWindow: (window, options) =>
          answerWindow(
            window,
            honest((asked) => members.materializeWindow(asked, options), options),
          ),
        async materialize({ slot, ...expected }, options) {
          const ask = (window: Window) => asWindow(members, window, options);
          const { outcomes, ...standing } = await answerSingle({ ...expected, slots: [slot] }, honest(ask, options));
          return { outcome: outcomes[0]!, ...standing };
        },
        advance: (advance, options) =>
          lies.advance ? lies.advance(advance, beside(options)) : members.advance(advance, options),
      };
    },
  });
}

/** The same lie about many slots and about one. */
export function alike(answer: Answer): Pick<Lies, 'window' | 'single'> {
  return { window: answer, single: answer };
}

async function honestly(window: Window, { ask }: Honest): Promise<WindowResult> {
  return ask(window);
}

async function asWindow(
  members: Members,
  { slots, ...expected }: Window,
  options: WindowOptions,
): Promise<WindowResult> {
  const { outcome, ...standing } = await members.materialize({ ...expected, slot: slots[0]! }, options);
  return { outcomes: [outcome], ...standing };
}

/** How many children a call has created. */
export function createdIn({ outcomes }: WindowResult): number {
  return outcomes.filter((outcome) => typeof outcome === 'object').length;
}

/** Whether every slot was lost for this reason. */
export function isLostBy(loss: SlotLoss, { outcomes }: WindowResult): boolean {
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === loss);
}

/** The result with every slot lost for this reason. */
export function lostBy(loss: SlotLoss, result: WindowResult): WindowResult {
  return { ...result, outcomes: result.outcomes.map(() => loss) };
}

/** The slot's instant and a minute more. */
export function minuteAfter({ at }: Slot): string {
  return new Date(Date.parse(at) + 60_000).toISOString();
}
