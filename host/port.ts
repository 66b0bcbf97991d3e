import type { ContractName } from '../contracts/ports.ts';
import { portShapes } from './port-shapes.ts';
import { print } from './print.ts';

/** A port as a plain object of bound functions, whatever the author wrote it as. */
export type Port = Record<string, (...args: unknown[]) => unknown>;

/**
 * Binds the members of what `open` returned, so that a wrapper may spread them even when they are a class's.
 * Throws a TypeError when it is no port of that contract.
 */
export function portOf(opened: unknown, contract: ContractName): Port {
  const port: Port = {};
  if (typeof opened === 'object' && opened !== null) {
    const known = Object.keys(portShapes[contract].members);
    for (const name of new Set([...known, ...memberNames(opened)])) {
      const value = known.includes(name) ? readMember(opened, name) : readAside(opened, name);
      if (typeof value === 'function') port[name] = value.bind(opened);
    }
  }
  for (const name of portShapes[contract].required) {
    if (!Object.hasOwn(port, name)) {
      throw new TypeError(
        `open(site) for ${contract} must return an object with a function ${name}, not ${print(opened)}`,
      );
    }
  }
  return port;
}

function readMember(object: object, name: string): unknown {
  return (object as Record<string, unknown>)[name];
}

/** What is no member of the port need not be readable. */
function readAside(object: object, name: string): unknown {
  try {
    return readMember(object, name);
  } catch {
    return undefined;
  }
}

/** Names that an object has or inherits from its classes; `close` belongs to the session. */
function memberNames(object: object): Set<string> {
  const names = new Set<string>();
  for (let o: object | null = object; o !== null && o !== Object.prototype; o = Object.getPrototypeOf(o)) {
    for (const name of Object.getOwnPropertyNames(o)) names.add(name);
  }
  names.delete('constructor');
  names.delete('close');
  return names;
}
