import { mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import type { Shape } from '../../kernel/writes.ts';
import { distinctValues, drawnFields } from '../drawn.ts';
import { messages } from '../messages.ts';
import { sendWrites as w } from '../writes.ts';

export const defaultsArePerRow: Guard = guard({
  id: 'send-batch/defaults-are-per-row',
  statement: 'What is drawn for every message on the single path is drawn for every message of a batch.',
  proves: ['drawn fields', 'rows compared'],
  async check(bench) {
    const fields = await drawnFields(bench, w);
    if (fields.length === 0) {
      throw new NotApplicable('backend', 'no field that its rows show differs between single sends that set nothing');
    }
    bench.record('drawn fields', fields.join(', '));
    for (const shape of ['bare', 'full'] as const) {
      await bench.case(`batch-${shape}`, () => mustDraw(bench, fields, shape));
    }
  },
});

async function mustDraw(bench: Bench, fields: readonly string[], shape: Shape): Promise<void> {
  const rig = await bench.open();
  const batch = messages(bench, severalChunks(bench), shape);
  mustSucceed(w, batch, await w.write(rig, batch), 'a batch');
  const rows = await mustHaveStoredAll(bench, w, rig, batch, 'a batch');
  for (const field of fields) {
    const values = distinctValues(field, rows);
    if (values.size === rows.length) continue;
    const slots = rows.map((row, slot) => {
      const twin = rows.findIndex(({ fields }) => fields[field] === row.fields[field]);
      const mark = twin === slot ? ('ok' as const) : ('duplicated' as const);
      const stored = `${field} = ${short(row.fields[field])}`;
      return { slot, mark, sent: w.print(batch[slot]!), expected: `a ${field} of its own`, stored };
    });
    throw new Violation(
      `${count(rows.length, 'messages')} of a batch share ${count(values.size, 'values')} of ${field}, ` +
        'of which every single send has one of its own',
      { input: `${count(batch.length, 'messages')} (${shape})`, slots },
    );
  }
  bench.record('rows compared', rows.length);
}
