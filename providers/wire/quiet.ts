import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Stillness } from '../../contracts/kernel/engine.ts';
import { count } from '../../contracts/kernel/print.ts';
import type { Recorder, Session } from './recording.ts';

/** Milliseconds for which nothing may come: a client that has had one answer may be about to send the next statement. */
const still = 10;

/** Waits until the server is through with all that was sent, or until the time is over. */
export async function quiet(recorder: Recorder, milliseconds: number): Promise<Stillness> {
  let over = false;
  const timeUp = pause(milliseconds, undefined, { ref: false }).then(() => {
    over = true;
  });
  let stirred = false;
  while (!over) {
    const { stirring } = recorder;
    const isOpen = openIn(recorder).length > 0;
    const pauses = isOpen ? [] : [stillness()];
    if ((await Promise.race([stirring, timeUp, ...pauses])) === 'still') {
      return { words: wordsFor(recorder.sessions.size), stirred };
    }
    stirred = true;
  }
  const open = openIn(recorder);
  const words = open.join(' and ') || 'statements keep coming';
  return { words: `after ${milliseconds / 1000} s ${words}`, stirred, open: open.length > 0 };
}

/** A thread that was kept from running finds its timers due before it reads its sockets: these are read, too. */
async function stillness(): Promise<'still'> {
  await pause(still);
  await nextTurn();
  await nextTurn();
  return 'still';
}

function wordsFor(connections: number): string {
  if (connections === 0) return 'the subject has no connection';
  const none = connections === 1 ? 'its connection has no' : `none of its ${connections} connections has a`;
  return `${none} statement or transaction open`;
}

/** What is still open on each connection, in words. */
function openIn({ sessions, arriving }: Recorder): string[] {
  const open = [...sessions].flatMap((session) => {
    const what = openOn(session);
    return what ? [`connection ${session.conversation.number} still has ${what}`] : [];
  });
  return arriving > 0 ? [...open, `${count(arriving, 'connections')} still being made`] : open;
}

function openOn({ conversation, up, down }: Session): string | undefined {
  const { running } = conversation;
  if (running) return `"${running.seen.text}" running`;
  // Nobody who does not listen is told the texts of simple queries.
  if (conversation.awaited > 0) return 'a statement running';
  if (conversation.inTransaction) return 'a transaction open';
  return up.holds || down.holds ? 'a statement held' : undefined;
}
