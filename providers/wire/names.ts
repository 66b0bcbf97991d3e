import { readBind } from './messages.ts';
import { kindOf, shorten } from './sql.ts';
import type { Carrier, Statement } from './statement.ts';

/** A prepared statement with the parameters that it is to be executed with. */
export interface Portal extends Carrier {
  prepared: Statement;
  parameters?: string[];
}

/** The prepared statements and portals of one connection, by their names. */
export class Names {
  readonly #prepared = new Map<string, Statement>();
  readonly #portals = new Map<string, Portal>();

  parse(name: string, text: string): Statement {
    const prepared = statementOf(text);
    this.#prepared.set(name, prepared);
    return prepared;
  }

  bind(body: Buffer, withParameters: boolean): Portal {
    const { portal: name, prepared, parameters } = readBind(body);
    const portal: Portal = { prepared: this.#prepared.get(prepared) ?? unknownStatement(), marks: new Set() };
    if (withParameters) portal.parameters = parameters();
    this.#portals.set(name, portal);
    return portal;
  }

  portal(name: string): Portal {
    return this.#portals.get(name) ?? { prepared: unknownStatement(), marks: new Set() };
  }

  close(what: 'statement' | 'portal', name: string): void {
    (what === 'statement' ? this.#prepared : this.#portals).delete(name);
  }
}

export function statementOf(text: string): Statement {
  return { sql: text, text: shorten(text), kind: kindOf(text), marks: new Set() };
}

/** Stands for what has not been seen: no statement that is known to be harmless reads so. */
export const unknownText = '…';

/** A statement whose text has not been seen. */
export function unknownStatement(text = ''): Statement {
  return { sql: unknownText, text, kind: 'other', marks: new Set() };
}
