import type { EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Found, Site } from '../contracts/kernel/engine.ts';
import type { Mutant, MutantTools } from '../contracts/kernel/mutant.ts';
import type { ContractName } from '../contracts/ports.ts';
import type { Agent } from '../providers/provider.ts';
import { type Backend, declarationOf, defineBackend, type Entry, type Probe } from './backend.ts';
import { beside } from './beside.ts';
import { decode, encode, printInstead } from './codec.ts';
import { failureOf } from './failure.ts';
import { firstChange, freezeDeep, scramble } from './inputs.ts';
import { importExport } from './modules.ts';
import { normalise } from './outcomes.ts';
import { type MemberShape, memberShape, portShapes } from './port-shapes.ts';
import { print } from './print.ts';
import type { HostMessage, Manifest, Reply, Request } from './protocol.ts';
import { makers } from './recipes.ts';

type Ask<D extends Request['do']> = Extract<Request, { do: D }>;
type Port = Record<string, (...args: unknown[]) => unknown>;

interface SubjectSession {
  kind: 'subject';
  contract: ContractName;
  port: Port;
  lies: Record<string, number>;
  close(): Promise<void>;
}
interface ProbeSession {
  kind: 'probe';
  probe: Probe;
  close(): Promise<void>;
}

/** The side of the protocol that lives beside the subject; the same for every kind of host. */
export interface Server {
  /** Answers one request by one reply; never rejects. */
  handle(request: Request): Promise<void>;
}

/** Serves requests about one backend; `say` carries the replies to the judge. */
export function createServer(say: (message: HostMessage) => void): Server {
  let agent: Agent | undefined;
  let backend: Backend | undefined;
  const sessions = new Map<number, SubjectSession | ProbeSession>();
  const running = new Map<number, AbortController>();

  async function handle(request: Request): Promise<void> {
    say(await answer(request).catch((error): Reply => ({ id: request.id, refused: failureOf(error) })));
  }

  async function answer(request: Request): Promise<Reply> {
    if (request.do === 'call') return call(request);
    return { id: request.id, value: encode(await perform(request), printInstead) };
  }

  async function perform(request: Exclude<Request, { do: 'call' }>): Promise<unknown> {
    switch (request.do) {
      case 'load':
        return load(request);
      case 'declare':
        return declarationOf(entryOf(request.variant, request.contract), request.facts as EngineFacts);
      case 'open':
        return { members: await open(request) };
      case 'cancel':
        running.get(request.call)?.abort();
        return null;
      case 'rows':
        return rows(request.session);
      case 'close':
        await sessionOf(request.session).close();
        sessions.delete(request.session);
        return null;
      case 'agent':
        if (!agent) throw new Error('this host was started without a provider agent');
        return agent.call(request.site, request.method, decode(request.args) as unknown[]);
      case 'lies':
        return subjectOf(request.session).lies;
      case 'ping':
        return null;
    }
  }

  async function load(request: Ask<'load'>): Promise<Manifest> {
    if (request.agent !== null) {
      agent = (await importExport({ url: request.agent, export: 'agent' }, 'provider agent')) as Agent;
    }
    const exported = await importExport(request.backend, 'backend');
    // What is exported may be a definition as well as a backend.
    backend = defineBackend(exported as Backend);
    return manifestOf(backend);
  }

  function entryOf(variant: string, contract: string): Entry {
    if (!backend) throw new Error('no backend is loaded yet');
    if (!Object.hasOwn(backend.variants, variant)) {
      const known = Object.keys(backend.variants).join(', ');
      throw new Error(`backend ${print(backend.name)} has no variant ${print(variant)}; it has ${known}`);
    }
    const contracts = backend.variants[variant] as Record<string, Entry>;
    if (!Object.hasOwn(contracts, contract)) {
      throw new Error(`variant ${print(variant)} has no contract ${print(contract)}; it has ${Object.keys(contracts)}`);
    }
    return contracts[contract]!;
  }

  async function open(request: Ask<'open'>): Promise<string[]> {
    if (sessions.has(request.session)) throw new Error(`session ${request.session} is open already`);
    const entry = entryOf(request.variant, request.contract);
    if (request.as === 'probe') {
      if (!entry.probe) throw new Error(`variant ${print(request.variant)} has no probe of its own`);
      const probe = checkProbe(await entry.probe(request.site));
      sessions.set(request.session, { kind: 'probe', probe, close: async () => probe.close?.() });
      return ['rows'];
    }
    const spoilers = await mutantsNamed(request.mutants);
    const contract = request.contract as ContractName;
    const original = await entry.open(request.site);
    const close = async () => original.close?.();
    const lies: Record<string, number> = {};
    let port = portOf(original, contract);
    for (const mutant of spoilers) {
      lies[mutant.id] = 0;
      port = portOf(mutant.wrap(port, toolsFor(mutant, request.site, lies)), contract);
    }
    sessions.set(request.session, { kind: 'subject', contract, port, lies, close });
    return Object.keys(port);
  }

  function toolsFor(mutant: Mutant, site: Site, lies: Record<string, number>): MutantTools {
    const hand = () => {
      if (!agent) throw new Error(`mutant ${mutant.id} needs the engine's hand, and this host has no provider agent`);
      return agent.hand(site);
    };
    return {
      site,
      lied: () => {
        lies[mutant.id] = (lies[mutant.id] ?? 0) + 1;
      },
      hand: {
        snapshot: () => hand().snapshot(),
        restore: (snapshot) => hand().restore(snapshot),
      },
      later: (work, milliseconds) => {
        // A late lie that finds its lease gone is no failure of the subject, so it may fail unheard.
        setTimeout(() => void (async () => work())().catch(() => {}), milliseconds);
      },
    };
  }

  async function call(request: Ask<'call'>): Promise<Reply> {
    const { id, member, prepare } = request;
    const { port, contract } = subjectOf(request.session);
    const method = Object.hasOwn(port, member) ? port[member] : undefined;
    if (!method) throw new Error(`the port has no member ${print(member)}; it has ${Object.keys(port).join(', ')}`);
    const shape = memberShape(contract, member);
    const signal = startSignal(id, prepare.signal);
    const argumentsOf = () => withSignal(decode(request.args, makers) as unknown[], shape, signal);
    const args = argumentsOf();
    if (prepare.freeze) freezeDeep(args);

    let touched: string | undefined;
    /** The caller's view afterwards; the message is still there to compare with. */
    const inspect = (thenScramble: boolean) => {
      touched = changeOf(argumentsOf(), args, shape);
      if (thenScramble) scramble(args);
    };
    let reply: Reply;
    try {
      const returned = method(...args);
      if (prepare.scramble === 'inFlight') inspect(true);
      const value = normalise(shape.returns, await returned);
      reply = { id, value: encode(value, printInstead) };
    } catch (error) {
      reply = { id, threw: failureOf(error) };
    } finally {
      running.delete(id);
    }
    if (prepare.scramble !== 'inFlight') inspect(prepare.scramble === 'settled');
    return touched === undefined ? reply : { ...reply, touched };
  }

  function startSignal(id: number, wanted: 'live' | 'aborted' | undefined): AbortSignal | undefined {
    if (wanted === undefined) return undefined;
    const controller = new AbortController();
    if (wanted === 'aborted') controller.abort();
    running.set(id, controller);
    return controller.signal;
  }

  async function rows(number: number): Promise<Found> {
    const session = sessionOf(number);
    if (session.kind !== 'probe') throw new Error(`session ${number} is no probe`);
    const found: unknown = await session.probe.rows();
    if (typeof found === 'object' && found !== null) {
      if ('rows' in found && Array.isArray(found.rows)) return found as Found;
      if ('missing' in found && typeof found.missing === 'string') return found as Found;
    }
    throw new TypeError(`probe.rows() must return { rows: [...] } or { missing: 'why' }, not ${print(found)}`);
  }

  function sessionOf(number: number): SubjectSession | ProbeSession {
    const session = sessions.get(number);
    if (!session) throw new Error(`session ${number} is not open`);
    return session;
  }

  function subjectOf(number: number): SubjectSession {
    const session = sessionOf(number);
    if (session.kind !== 'subject') throw new Error(`session ${number} is no subject`);
    return session;
  }

  return { handle };
}

function manifestOf(backend: Backend): Manifest {
  const variants = Object.entries(backend.variants).map(([name, variant]) => {
    const contracts = Object.entries(variant).map(([contract, entry]) => {
      return [contract, { rows: entry.rows ?? null, ownProbe: entry.probe !== undefined, members: null }];
    });
    return [name, Object.fromEntries(contracts)];
  });
  return { name: backend.name, provider: backend.provider, variants: Object.fromEntries(variants) };
}

/** The port as a plain object of bound functions, so that a wrapper may spread it even when it is a class. */
function portOf(original: unknown, contract: ContractName): Port {
  const port: Port = {};
  if (typeof original === 'object' && original !== null) {
    for (const member of membersOf(original)) {
      const value = (original as Record<string, unknown>)[member];
      if (typeof value === 'function') port[member] = value.bind(original);
    }
  }
  for (const member of portShapes[contract].required) {
    if (!Object.hasOwn(port, member)) {
      const found = print(original);
      throw new TypeError(`open(site) for ${contract} must return an object with a function ${member}, not ${found}`);
    }
  }
  return port;
}

/** Names that an object has or inherits from its classes; `close` belongs to the session. */
function membersOf(object: object): Set<string> {
  const names = new Set<string>();
  for (let o: object | null = object; o !== null && o !== Object.prototype; o = Object.getPrototypeOf(o)) {
    for (const name of Object.getOwnPropertyNames(o)) names.add(name);
  }
  names.delete('constructor');
  names.delete('close');
  return names;
}

function checkProbe(probe: unknown): Probe {
  if (typeof probe === 'object' && probe !== null && 'rows' in probe && typeof probe.rows === 'function') {
    return probe as Probe;
  }
  throw new TypeError(`probe(site) must return an object with a function rows, not ${print(probe)}`);
}

/** Puts the signal where the member takes its options; a member with options always gets an object there. */
function withSignal(args: unknown[], shape: MemberShape, signal: AbortSignal | undefined): unknown[] {
  const declared = shape.parameters.indexOf('options');
  const at = declared === -1 ? args.length : declared;
  if (declared === -1 && signal === undefined) return args;
  while (args.length < at) args.push(undefined);
  const options = args[at] ?? {};
  if (signal !== undefined) (options as Record<string, unknown>).signal = signal;
  args[at] = options;
  return args;
}

function changeOf(before: unknown[], after: unknown[], shape: MemberShape): string | undefined {
  for (let i = 0; i < before.length; i++) {
    const change = firstChange(before[i], after[i], shape.parameters[i] ?? `argument ${i + 1}`);
    if (change) return change;
  }
  return undefined;
}

async function mutantsNamed(ids: readonly string[]): Promise<Mutant<Port>[]> {
  if (ids.length === 0) return [];
  const { mutants } = (await import(beside('../contracts/mutants', import.meta.url).href)) as { mutants: Mutant[] };
  return ids.map((id) => {
    const found = mutants.find((mutant) => mutant.id === id);
    if (!found) throw new Error(`there is no mutant ${print(id)}`);
    return found as Mutant<Port>;
  });
}
