import { DatabaseSync } from 'node:sqlite';
import { defineBackend, refuseOthers } from 'contract-test';

export default defineBackend({
  name: 'my-queue',
  provider: 'sqlite',
  'send-batch': {
    declare: { offers: ['priority'], chunk: { rows: 1 } },
    rows: 'SELECT id, body, priority FROM jobs',
    open(site) {
      const db = new DatabaseSync(site.path);
      db.exec('CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, body TEXT NOT NULL, priority INTEGER)');
      const insert = db.prepare('INSERT INTO jobs (body, priority) VALUES (?, ?)');
      return {
        sendBatch(messages, options) {
          refuseOthers(['priority'], messages, options);
          if (messages.length === 0) return [];
          const rows = messages.map((message) => [JSON.stringify(message.body), message.priority ?? null] as const);
          db.exec('BEGIN IMMEDIATE');
          try {
            const outcomes = rows.map((row) => ({ stored: insert.run(...row).lastInsertRowid }));
            db.exec('COMMIT');
            return outcomes;
          } catch (error) {
            try {
              db.exec('ROLLBACK');
            } catch {
              throw new Error('the rollback failed as well', { cause: error });
            }
            throw error;
          }
        },
        close: () => db.close(),
      };
    },
  },
});
