import type { MaterializeWindowPort } from '../port.ts';

/** A new port with the subject's members as they are. */
export function passedThrough(subject: MaterializeWindowPort): MaterializeWindowPort {
  const members = Object.entries(subject).filter(([, member]) => typeof member === 'function');
  const bound = Object.fromEntries(members.map(([name, member]) => [name, member.bind(subject)]));
  return bound as unknown as MaterializeWindowPort;
}
