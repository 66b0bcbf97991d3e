import { flushCompileCache } from 'node:module';
import type { Found, Site } from '../contracts/kernel/engine.ts';
import type { ContractName } from '../contracts/ports.ts';
import type { Agent } from '../providers/provider.ts';
import { type Backend, declarationOf, defineBackend, type Entry, type Probe, statementsOf } from './backend.ts';
import { runCall } from './call.ts';
import { setClock } from './clock.ts';
import { decode, encode, printInstead } from './codec.ts';
import { failureOf } from './failure.ts';
import { importExport } from './modules.ts';
import { type Port, portOf } from './port.ts';
import { memberShape } from './port-shapes.ts';
import { print } from './print.ts';
import type { HostMessage, Manifest, Reply, Request } from './protocol.ts';
import { loadMutants, pickMutants, type Spoiled, spoil, spoilSite } from './spoil.ts';
import { quietTimers } from './timers.ts';
import { Transactions } from './transactions.ts';

type RequestTo<D extends Request['do']> = Extract<Request, { do: D }>;

interface Closable {
  close(): Promise<void>;
}
type SubjectSession = Closable & Spoiled & { as: 'subject'; contract: ContractName };
type ProbeSession = Closable & { as: 'probe'; probe: Probe };

/** A probe of the backend's own that is not what a probe must be; what else it throws is its word on what it reads. */
class WrongProbe extends TypeError {
  override name = 'WrongProbe';
}

/** The side of the protocol that lives beside the subject; the same for every kind of host. */
export interface Server {
  /** Answers one request by one reply; never rejects. */
  handle(request: Request): Promise<void>;
}

/** Serves requests about one backend; `say` carries the replies to the judge. */
export function createServer(say: (message: HostMessage) => void, mutantsOf = loadMutants): Server {
  const agents = new Map<string, Agent>();
  let backend: Backend | undefined;
  const sessions = new Map<number, SubjectSession | ProbeSession>();
  const cancellers = new Map<number, AbortController>();
  const transactions = new Transactions();

  async function handle(request: Request): Promise<void> {
    say(await answer(request).catch((error): Reply => ({ id: request.id, refused: failureOf(error) })));
  }

  async function answer(request: Request): Promise<Reply> {
    if (request.do === 'call') return call(request);
    if (request.do === 'transact') return transactions.step(request);
    return { id: request.id, value: encode(await perform(request), printInstead) };
  }

  async function perform(request: Exclude<Request, { do: 'call' | 'transact' }>): Promise<unknown> {
    switch (request.do) {
      case 'load':
        return load(request);
      case 'declare':
        return declarationOf(entryOf(backend, request.variant, request.contract), request.facts);
      case 'open':
        if (sessions.has(request.session)) throw new Error(`session ${request.session} is open already`);
        return request.as === 'probe' ? openProbe(request) : openSubject(request);
      case 'begin':
        return transactions.begin(request.session, subjectOf(request.session).port);
      case 'cancel':
        cancellers.get(request.call)?.abort();
        return null;
      case 'rows':
        return readBy(probeOf(request.session), request.of);
      case 'close':
        await transactions.rollBack(request.session);
        await sessionOf(request.session).close();
        sessions.delete(request.session);
        return null;
      case 'agent':
        return agentOf(request.site).call(request.site, request.method, decode(request.args) as unknown[]);
      case 'lies':
        return subjectOf(request.session).lies;
      case 'quiet':
        return quietTimers();
      case 'ping':
        return null;
      default:
        throw new Error(`unknown request ${print(request)}`);
    }
  }

  async function load(request: RequestTo<'load'>): Promise<Manifest> {
    if (request.clockShift !== 0 || request.clockStandsAt !== undefined) setClock(request);
    for (const [provider, url] of Object.entries(request.agents)) {
      agents.set(provider, (await importExport({ url, export: 'agent' }, 'provider agent')) as Agent);
    }
    // A plain definition will do, too.
    backend = defineBackend((await importExport(request.backend, 'backend')) as Backend);
    // Where what was compiled is kept for the next host: this one may be killed before it would be.
    flushCompileCache();
    return manifestOf(backend);
  }

  async function openSubject({ session, variant, contract, site, mutants }: RequestTo<'open'>) {
    const entry = entryOf(backend, variant, contract);
    const spoilers = mutants.length === 0 ? [] : pickMutants(await mutantsOf(), mutants);
    const opened = await entry.open(spoilSite(site, spoilers));
    const name = contract as ContractName;
    const spoiled = spoil(portOf(opened, name), spoilers, {
      contract: name,
      site,
      hand: () => agentOf(site).hand(site),
    });
    for (const work of spoiled.opening) await work();
    const close = async () => {
      for (const work of spoiled.closing) await work();
      await opened.close?.();
    };
    sessions.set(session, { as: 'subject', contract: name, ...spoiled, close });
    return { members: Object.keys(spoiled.port) };
  }

  async function openProbe({ session, variant, contract, site }: RequestTo<'open'>) {
    const entry = entryOf(backend, variant, contract);
    if (!entry.probe) throw new Error(`variant ${print(variant)} has no probe of its own`);
    const probe = await entry.probe(site);
    if (typeof probe?.rows !== 'function') {
      throw new WrongProbe(`probe(site) must return an object with a function rows, not ${print(probe)}`);
    }
    sessions.set(session, { as: 'probe', probe, close: async () => probe.close?.() });
    return { members: ['rows'] };
  }

  async function call(request: RequestTo<'call'>): Promise<Reply> {
    const { port, contract } = subjectOf(request.session);
    const method = Object.hasOwn(port, request.member) ? port[request.member] : undefined;
    if (!method) throw new Error(`the port has no member ${print(request.member)}; it has ${list(port)}`);
    const { signal: wanted, transaction, context } = request.prepare;
    const canceller = new AbortController();
    if (wanted === 'aborted') canceller.abort();
    // It stays when the call has settled: a caller may abort later than that, and nothing must come of it.
    if (wanted === 'live') cancellers.set(request.id, canceller);
    const options = {
      ...(wanted && { signal: canceller.signal }),
      ...(transaction !== undefined && { transaction: transactions.handle(transaction) }),
    };
    const called = context === undefined ? method : within(port, context, method);
    return runCall(called, memberShape(contract, request.member), request, options);
  }

  function agentOf(site: Site): Agent {
    const agent = agents.get(site.provider);
    if (!agent) throw new Error(`this host was started without a provider agent for ${print(site.provider)}`);
    return agent;
  }

  function sessionOf(number: number): SubjectSession | ProbeSession {
    const session = sessions.get(number);
    if (!session) throw new Error(`session ${number} is not open`);
    return session;
  }

  function subjectOf(number: number): SubjectSession {
    const session = sessionOf(number);
    if (session.as !== 'subject') throw new Error(`session ${number} is no subject`);
    return session;
  }

  function probeOf(number: number): Probe {
    const session = sessionOf(number);
    if (session.as !== 'probe') throw new Error(`session ${number} is no probe`);
    return session.probe;
  }

  return { handle };
}

function entryOf(backend: Backend | undefined, variant: string, contract: string): Entry {
  if (!backend) throw new Error('no backend is loaded yet');
  const { name, variants } = backend;
  if (!Object.hasOwn(variants, variant)) {
    throw new Error(`backend ${print(name)} has no variant ${print(variant)}; it has ${list(variants)}`);
  }
  const contracts = variants[variant] as Record<string, Entry>;
  if (!Object.hasOwn(contracts, contract)) {
    throw new Error(`variant ${print(variant)} has no contract ${print(contract)}; it has ${list(contracts)}`);
  }
  return contracts[contract]!;
}

/** The member, called inside an ambient context by the adapter's own means. */
function within(port: Port, context: string, method: Port[string]): Port[string] {
  const { inContext } = port;
  if (!inContext) throw new Error('the port has no member inContext');
  return (...args) => inContext(context, () => method(...args));
}

function manifestOf({ name, provider, variants }: Backend): Manifest {
  const manifest: Manifest = { name, provider, variants: {} };
  for (const [variant, contracts] of Object.entries(variants)) {
    const entries = Object.entries(contracts).map(([contract, entry]) => {
      return [
        contract,
        {
          statements: statementsOf(entry, contract as ContractName),
          ownProbe: entry.probe !== undefined,
          members: null,
        },
      ];
    });
    manifest.variants[variant] = Object.fromEntries(entries);
  }
  return manifest;
}

async function readBy(probe: Probe, of: string): Promise<Found> {
  const read = (probe as unknown as Record<string, unknown>)[of];
  if (typeof read !== 'function') throw new WrongProbe(`the probe has no function ${of}`);
  return checkFound(await read.call(probe), of);
}

function checkFound(found: unknown, of: string): Found {
  if (typeof found === 'object' && found !== null) {
    if ('rows' in found && Array.isArray(found.rows)) {
      const wrong = found.rows.findIndex((row) => typeof row !== 'object' || row === null);
      if (wrong === -1) return found as Found;
      throw new WrongProbe(`${of}() must return rows that are objects; row ${wrong} is ${print(found.rows[wrong])}`);
    }
    if ('missing' in found && typeof found.missing === 'string') return found as Found;
  }
  throw new WrongProbe(`${of}() must return { rows: [...] } or { missing: 'what is not there' }, not ${print(found)}`);
}

function list(table: object): string {
  return Object.keys(table).join(', ');
}
