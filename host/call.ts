import { decode, encode, printInstead } from './codec.ts';
import { failureOf } from './failure.ts';
import { firstChange, freezeDeep, scramble } from './inputs.ts';
import { normalise } from './outcomes.ts';
import type { MemberShape } from './port-shapes.ts';
import type { Reply, Request } from './protocol.ts';
import { makers } from './recipes.ts';
import { holdTimers, letTimersGo } from './timers.ts';

/** Calls one member of a port as a request asks for it, and tells how that ended. Never rejects. */
export async function runCall(
  method: (...args: unknown[]) => unknown,
  shape: MemberShape,
  request: Extract<Request, { do: 'call' }>,
  added: AddedOptions,
): Promise<Reply> {
  const { id, prepare } = request;
  letTimersGo();
  const makeArgs = () => withOptions(decode(request.args, makers) as unknown[], shape, added);
  const args = makeArgs();
  if (prepare.freeze) freezeDeep(args);

  let touched: string | undefined;
  const scrambleArgs = () => {
    touched = changeOf(makeArgs(), args, shape);
    scramble(args);
  };
  let reply: Reply;
  try {
    const returned = method(...args);
    if (prepare.scramble === 'inFlight') scrambleArgs();
    const value = normalise(shape.returns, shape.atOnce ? unawaited(returned) : await returned);
    reply = { id, value: encode(value, printInstead) };
  } catch (error) {
    reply = { id, threw: failureOf(error) };
  }
  if (prepare.holdTimers) holdTimers();
  if (prepare.scramble === 'settled') scrambleArgs();
  if (prepare.compare && prepare.scramble === undefined) touched = changeOf(makeArgs(), args, shape);
  return touched === undefined ? reply : { ...reply, touched };
}

/** The value itself; of a promise nobody hears whether it is kept. */
function unawaited(returned: unknown): unknown {
  Promise.resolve(returned).catch(() => {});
  return returned;
}

/** What a caller hands over that cannot travel: it is made in the host. */
export interface AddedOptions {
  signal?: AbortSignal;
  transaction?: unknown;
}

/** Adds to the member's options; a member that takes options always gets an object there. */
function withOptions(args: unknown[], shape: MemberShape, added: AddedOptions): unknown[] {
  const declared = shape.parameters.indexOf('options');
  if (declared === -1 && Object.keys(added).length === 0) return args;
  const at = declared === -1 ? args.length : declared;
  const options = (args[at] ?? {}) as Record<string, unknown>;
  Object.assign(options, added);
  while (args.length < at) args.push(undefined);
  args[at] = options;
  return args;
}

/** What the subject changed in its arguments; the message that they were made from is still there to compare with. */
function changeOf(sent: unknown[], found: unknown[], shape: MemberShape): string | undefined {
  for (const [i, argument] of sent.entries()) {
    const change = firstChange(argument, found[i], shape.parameters[i] ?? `argument ${i + 1}`);
    if (change) return change;
  }
  return undefined;
}
