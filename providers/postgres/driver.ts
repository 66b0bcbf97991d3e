import type * as pg from 'pg';
import { EngineUnavailable } from '../provider.ts';

export type Driver = typeof pg;

/** Loads npm's pg, which is not installed with the toolkit. */
export async function loadDriver(): Promise<Driver> {
  try {
    return await import('pg');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new EngineUnavailable(
      'the npm package pg is not installed, by which PostgreSQL is read; npm install --save-dev pg',
    );
  }
}
