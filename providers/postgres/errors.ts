import { EngineUnavailable } from '../provider.ts';
import type { Address } from '../provision/server.ts';
import { shown } from '../provision/url.ts';

/** SQLSTATE of an error that the server sent, or the code of one that the system gave. */
export function codeOf(cause: unknown): string {
  const { code, errors } = cause as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') return code;
  // A name with several addresses fails with all their errors at once.
  return errors?.length ? codeOf(errors[0]) : '';
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || codeOf(cause) : String(cause);
}

/** Our own statement waited too long for somebody's lock. */
export function isLockTimeout(cause: unknown): boolean {
  return codeOf(cause) === '55P03';
}

/** The role has no right to it. */
export function isForbidden(cause: unknown): boolean {
  return codeOf(cause) === '42501';
}

/** A table or a schema is not there. */
export function isMissing(cause: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(cause));
}

/** The connection ended under a statement, or could not be opened any more. */
export function isLost(cause: unknown): boolean {
  const code = codeOf(cause);
  return (
    /^(08|57P0|25P03)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code) ||
    /^Connection terminated|^Client has encountered a connection error/.test(messageOf(cause))
  );
}

/** Why no connection could be opened, in words, without the password. */
export function unavailable(cause: unknown, address: Address): EngineUnavailable {
  return new EngineUnavailable(`${shown(address)}: ${reason(cause, address)}`);
}

function reason(cause: unknown, { host, port, user, database }: Address): string {
  switch (codeOf(cause)) {
    case 'ECONNREFUSED':
      return `nothing answers on port ${port} of ${host}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `there is no host ${host}`;
    case '28P01':
      return `the server refuses the password of ${user}`;
    case '3D000':
      return `there is no database ${database}`;
    default:
      return messageOf(cause);
  }
}
