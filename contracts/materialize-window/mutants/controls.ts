import { control, type Mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type { MaterializeWindowPort } from '../port.ts';

/** Wrappers that tell no lie. */
export const controls: Mutant[] = [
  control<MaterializeWindowPort>({
    id: 'pass-through',
    lie: 'None: every call and every reply is passed through.',
    wrap: passedThrough,
  }),
  control<MaterializeWindowPort>({
    id: 'harmless-delay',
    lie: 'None: every reply comes a few milliseconds later.',
    wrap(subject, tools) {
      const later = async <T>(reply: T | Promise<T>): Promise<T> => {
        const value = await reply;
        await new Promise((resolve) => tools.later(() => resolve(undefined), 1));
        return value;
      };
      const { materializeWindow, materialize, ...others } = passedThrough(subject);
      return {
        ...others,
        materialize: async (single, options) => later(materialize(single, options)),
        ...(materializeWindow && {
          materializeWindow: async (window, options) => later(materializeWindow(window, options)),
        }),
      };
    },
  }),
];
