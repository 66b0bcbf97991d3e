import { defineBackend, type Message, type Offer, refuseOthers, stored } from 'contract-test';
import { PgBoss } from 'pg-boss';

/*
 * Not offered: destination, since one insert writes to one queue; expiration, since a job's retention counts from when
 * it is due; dedupeKey, since insert leaves a duplicate out without saying which of the jobs it was; callerIds, which
 * have to be UUIDs.
 */
const offers: Offer[] = ['delay', 'priority'];
const queue = 'messages';

/** pg-boss 12, through its public API; all that would work in the background is switched off. */
export default defineBackend({
  name: 'pg-boss',
  provider: 'postgres',
  'send-batch': {
    declare: { offers, clock: 'database' },
    rows: `
      SELECT id::text AS id, data::text AS body, priority, start_after AS "dueAt", created_on AS "createdAt",
             state::text AS state, policy, (keep_until - start_after)::text AS retention, expire_seconds,
             deletion_seconds, retry_limit, retry_delay, retry_backoff, singleton_key, dead_letter
      FROM job`,
    async open(site) {
      const connection = { connectionString: site.url, schema: site.schema };
      const quiet = { supervise: false, schedule: false, registerInstance: false };
      // An instance that may migrate looks for migrations in the background; so one installs, and another one sends.
      const installer = await new PgBoss({ ...connection, ...quiet, createSchema: false }).start();
      await installer.createQueue(queue);
      await installer.stop({ graceful: false });
      const boss = new PgBoss({ ...connection, ...quiet, migrate: false });
      boss.on('error', () => {});
      await boss.start();
      return {
        async sendBatch(messages, options) {
          refuseOthers(offers, messages, options);
          const jobs = messages.map((message) => ({ data: message.body as object, ...jobOptions(message) }));
          const ids = await boss.insert(queue, jobs, { returnId: true });
          return (ids ?? []).map(stored);
        },
        async send(message, options) {
          refuseOthers(offers, [message], options);
          return stored(await boss.send(queue, message.body as object, jobOptions(message)));
        },
        close: () => boss.stop({ graceful: false }),
      };
    },
  },
});

/** What pg-boss calls a message's options; it wants them absent rather than undefined. */
function jobOptions({ delay, priority }: Message): { startAfter?: number; priority?: number } {
  return { ...(delay !== undefined && { startAfter: delay / 1000 }), ...(priority !== undefined && { priority }) };
}
