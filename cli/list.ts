import { Command } from 'commander';
import type { Guard } from '../contracts/kernel/guard.ts';
import type { Backend } from '../host/backend.ts';
import { importExport } from '../host/modules.ts';
import { paint, type Terminal, terminalOf } from '../reporters/terminal.ts';
import { columns, counted, indented, pad, paragraph, visible, wrap } from '../reporters/text.ts';
import { pathName } from '../runner/path.ts';
import { withoutDriver } from '../runner/references.ts';
import type { Context, Toolkit } from './context.ts';

/** What `list --json` prints. */
interface Listing {
  providers: { name: string; title: string; modes: readonly string[] }[];
  contracts: { name: string; title: string; guards: Pick<Guard, 'id' | 'level' | 'statement'>[] }[];
  paths: { path: string; contracts: string[]; backend: string }[];
  /** Providers whose built-in backends cannot be loaded here. */
  missing: { provider: string; reason: string }[];
}

/** Lists what there is: engines and their modes, contracts and their guards, and the built-in engine paths. */
export function listCommand(context: Context): Command {
  return new Command('list')
    .description('list engines, built-in engine paths, contracts and guards')
    .option('--json', 'as JSON')
    .action(async (flags: { json?: true }) => {
      const listing = await take(await context.load());
      const terminal = terminalOf(context.stdout, context.env);
      const lines = flags.json ? [JSON.stringify(listing, null, 2)] : renderListing(listing, terminal);
      context.stdout.write(`${lines.join('\n')}\n`);
    });
}

async function take(toolkit: Toolkit): Promise<Listing> {
  const backends: Backend[] = [];
  const missing: Listing['missing'] = [];
  for (const ref of toolkit.references) {
    try {
      backends.push((await importExport(ref, 'backend')) as Backend);
    } catch (error) {
      const { message } = error as Error;
      missing.push({ provider: ref.provider ?? ref.url, reason: withoutDriver(ref, message) ?? message });
    }
  }
  return {
    providers: toolkit.providers.map(({ name, title, modes }) => ({ name, title, modes })),
    contracts: toolkit.contracts.map(({ name, title, guards }) => ({
      name,
      title,
      guards: guards.map(({ id, level, statement }) => ({ id, level, statement })),
    })),
    paths: backends.flatMap((backend) => pathsOf(backend, toolkit)),
    missing,
  };
}

function pathsOf(backend: Backend, toolkit: Toolkit): Listing['paths'] {
  const provider = toolkit.providers.find(({ name }) => name === backend.provider);
  const variants = Object.entries(backend.variants);
  return (provider?.modes ?? []).flatMap((mode) =>
    variants.map(([variant, entries]) => ({
      path: pathName(provider!, mode, variant, variants.length),
      contracts: Object.keys(entries),
      backend: backend.name,
    })),
  );
}

function renderListing(listing: Listing, terminal: Terminal): string[] {
  const title = (text: string) => paint(terminal, 'bold', text);
  const engines = listing.providers.map((p): Row => [p.name, `${p.title} (modes: ${p.modes.join(', ')})`]);
  const paths = [
    ...listing.paths.map((p): Row => [p.path, `${p.contracts.join(', ')} by ${p.backend}`]),
    ...listing.missing.map((m): Row => [m.provider, `cannot be judged here: ${m.reason}`]),
  ];
  return [
    title('Engines'),
    ...rows(engines, terminal),
    '',
    title('Built-in engine paths'),
    ...rows(paths, terminal),
    ...listing.contracts.flatMap((contract) => [
      '',
      `${title(`Contract ${contract.name}`)}, ${counted(contract.guards.length, 'guard')}`,
      ...indented(wrap(visible(contract.title, terminal), terminal.width - 2)),
      ...contract.guards.flatMap((guard) => guardLines(guard, terminal)),
    ]),
    '',
    ...wrap('More about one guard: contract-test explain <guard>', terminal.width),
  ];
}

type Row = [name: string, text: string];

function rows(all: Row[], terminal: Terminal): string[] {
  const left = Math.max(0, ...all.map(([name]) => columns(name)));
  return indented(
    all.flatMap(([name, text]) => paragraph(`${pad(name, left)}  `, visible(text, terminal), terminal.width - 2)),
  );
}

function guardLines(guard: Listing['contracts'][number]['guards'][number], terminal: Terminal): string[] {
  const level = guard.level === 'must' ? '' : '  (should)';
  return [
    `  ${paint(terminal, 'cyan', guard.id)}${level}`,
    ...indented(indented(wrap(visible(guard.statement, terminal), terminal.width - 4))),
  ];
}
