// Reads once in a process of its own, and ends.
import type { ReadReply, ReadRequest } from './bounded-read.ts';
import { read } from './content.ts';
import { openOwn } from './database.ts';

process.once('message', ({ path, statement }: ReadRequest) => {
  let reply: ReadReply;
  try {
    reply = { found: read(openOwn(path, 2000), statement) };
  } catch (cause) {
    reply = { error: cause instanceof Error ? cause.message : String(cause) };
  }
  process.send!(reply, () => process.disconnect());
});
// Its asker is gone.
process.once('disconnect', () => process.exit());
