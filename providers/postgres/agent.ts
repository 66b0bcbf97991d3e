import type { Agent } from '../provider.ts';

/** The part of the postgres provider beside the subject. */
export const agent: Agent = {
  call(_site, method) {
    throw new TypeError(`postgres: the agent has no method ${method}`);
  },
  hand() {
    throw new Error('postgres: there is no hand yet');
  },
};
