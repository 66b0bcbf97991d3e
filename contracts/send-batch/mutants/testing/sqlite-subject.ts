import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { storedMessages } from '../../../../reference-impl/sqlite/schema.ts';
import { jsonEach } from '../../../../reference-impl/sqlite/send-batch-json-each.ts';
import type { MutantTools } from '../../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../../kernel/outcome.ts';
import type { Message, SendBatchPort, SendOptions } from '../../port.ts';
import { sendBatchMutants } from '../index.ts';

const tables = ['messages', 'message_headers'] as const;
type Row = Record<string, unknown>;
type Content = Record<string, Row[]>;

/** What came of a call, in a form that two subjects can be compared by. */
export type Came = { outcomes: readonly ReportedOutcome[] } | { threw: string };

/** A correct subject on a SQLite database of its own, behind the mutant of that id when one is named. */
export class TestSubject {
  readonly port: SendBatchPort;
  lies = 0;
  readonly #database: DatabaseSync;

  constructor(mutantId?: string) {
    const directory = mkdtempSync(join(tmpdir(), 'contract-test-'));
    const path = join(directory, 'messages.db');
    const subject = jsonEach.open({ provider: 'sqlite', mode: 'file', path }) as SendBatchPort;
    this.#database = new DatabaseSync(path, { timeout: 1000 });
    this.port = mutantId === undefined ? subject : this.#spoiled(subject, mutantId);
    onTestFinished(() => {
      void this.port.close?.();
      this.#database.close();
      rmSync(directory, { recursive: true, force: true });
    });
  }

  async sendBatch(messages: readonly Message[], options: SendOptions = {}): Promise<Came> {
    try {
      return { outcomes: await this.port.sendBatch(messages, options) };
    } catch (error) {
      return { threw: String(error) };
    }
  }

  /** What is stored, without the ids. */
  stored(): Row[] {
    return this.#database
      .prepare(storedMessages)
      .all()
      .map(({ id: _id, ...row }) => ({ ...row }));
  }

  /** The stored bodies, in the order of their ids. */
  bodies(): unknown[] {
    return this.stored().map(({ body }) => JSON.parse(body as string));
  }

  /** The body of the row behind each reported id. */
  bodiesById(came: Came): unknown[] {
    const find = this.#database.prepare('SELECT body FROM messages WHERE id = ?');
    if ('threw' in came) return [];
    return came.outcomes.map((outcome) => {
      const row = 'stored' in outcome ? find.get(outcome.stored as SQLInputValue) : undefined;
      return row === undefined ? undefined : JSON.parse(row.body as string);
    });
  }

  /** From now on the engine refuses rows whose body holds this word. */
  refuse(word: string): void {
    this.#database.exec(`
      CREATE TRIGGER refusal BEFORE INSERT ON messages WHEN instr(NEW.body, '${word}') > 0
      BEGIN SELECT RAISE(ABORT, 'refused by the engine'); END
    `);
  }

  /** Removes the tables. */
  wipe(): void {
    for (const table of tables) this.#database.exec(`DROP TABLE ${table}`);
  }

  #spoiled(subject: SendBatchPort, id: string): SendBatchPort {
    const mutant = sendBatchMutants.find((m) => m.id === id);
    if (!mutant) throw new Error(`there is no mutant ${id}`);
    const tools: MutantTools = {
      site: { provider: 'sqlite', mode: 'file' },
      lied: () => {
        this.lies += 1;
      },
      hand: {
        snapshot: () => this.#snapshot(),
        restore: (snapshot) => this.#restore((snapshot as { content: Content }).content),
        edit: (change) => {
          const { content } = this.#snapshot();
          for (const [table, rows] of Object.entries(content)) for (const row of rows) change(row, table);
          this.#restore(content);
        },
      },
      later: (work, milliseconds) => void setTimeout(work, milliseconds),
    };
    return mutant.wrap(subject, tools) as SendBatchPort;
  }

  #snapshot(): { tables: Record<string, number>; content: Content } {
    const there = this.#database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const names = tables.filter((table) => there.some(({ name }) => name === table));
    const content: Content = {};
    for (const name of names) content[name] = this.#database.prepare(`SELECT * FROM ${name}`).all();
    return { tables: Object.fromEntries(names.map((name) => [name, content[name]!.length])), content };
  }

  #restore(content: Content): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const [table, rows] of Object.entries(content)) {
        this.#database.exec(`DELETE FROM ${table}`);
        for (const row of rows) {
          const marks = Object.keys(row).fill('?').join(', ');
          const insert = this.#database.prepare(
            `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${marks})`,
          );
          insert.run(...(Object.values(row) as SQLInputValue[]));
        }
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Messages with distinct bodies and every option, or with the bodies alone. */
export function messages(count: number, shape: 'full' | 'bare' = 'full'): Message[] {
  return Array.from({ length: count }, (_, i): Message => {
    const body = { token: `token-${i}` };
    if (shape === 'bare') return { body };
    return {
      body,
      destination: ['orders', 'invoices', 'letters'][i % 3]!,
      delay: 1000 * (i + 1),
      expiration: 1_000_000 + 1000 * i,
      priority: 1 + i,
      route: `route-${i}`,
      correlationId: `correlation-${i}`,
      headers: { first: `first-${i}`, second: `second-${i}` },
    };
  });
}

/** The bodies that `messages` gives to the slots. */
export function bodiesOf(...slots: number[]): unknown[] {
  return slots.map((i) => ({ token: `token-${i}` }));
}
