import { setTimeout as pause } from 'node:timers/promises';
import type { Recorder, Session } from './recording.ts';

/** Milliseconds for which nothing may come: a client that has had one answer may be about to send the next statement. */
const still = 10;

/** Waits until the server is through with all that was sent, or until the time is over; tells in words what was seen. */
export async function quiet(recorder: Recorder, milliseconds: number): Promise<string> {
  let over = false;
  const timeUp = pause(milliseconds, undefined, { ref: false }).then(() => {
    over = true;
  });
  while (!over) {
    const { stirring } = recorder;
    const pauses = openIn(recorder).length === 0 ? [pause(still, 'still')] : [];
    if ((await Promise.race([stirring, timeUp, ...pauses])) === 'still') return wordsFor(recorder.sessions.size);
  }
  return `after ${milliseconds / 1000} s ${openIn(recorder).join(' and ') || 'statements keep coming'}`;
}

function wordsFor(connections: number): string {
  if (connections === 0) return 'the subject has no connection';
  const none = connections === 1 ? 'its connection has no' : `none of its ${connections} connections has a`;
  return `${none} statement or transaction open`;
}

/** What is still open on each connection, in words. */
function openIn({ sessions }: Recorder): string[] {
  return [...sessions].flatMap((session) => {
    const open = openOn(session);
    return open ? [`connection ${session.conversation.number} still has ${open}`] : [];
  });
}

function openOn({ conversation, up, down }: Session): string | undefined {
  const { running } = conversation;
  if (running) return `"${running.seen.text}" running`;
  // Nobody who does not listen is told the texts of simple queries.
  if (conversation.awaited > 0) return 'a statement running';
  if (conversation.inTransaction) return 'a transaction open';
  return up.holds || down.holds ? 'a statement held' : undefined;
}
