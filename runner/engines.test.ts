import { expect, test } from 'vitest';
import { findProvider } from '../providers/index.ts';
import { defineProvider, type Engine, type EngineOptions } from '../providers/provider.ts';
import { checkServers, EngineEnded, mustLive, startEngine } from './engines.ts';

const [memory, sqlite, postgres] = ['memory', 'sqlite', 'postgres'].map((name) => findProvider(name)!);
const other = defineProvider({ ...postgres!, name: 'other' });
const nothing = { provision: null, url: null, required: [] };
const url = { address: 'postgres://me@host/db', named: 'postgres://me@host/db' };

test.each([
  [[sqlite!], { url }, '--url is the address of one server, and none is asked for'],
  [[postgres!, other], { url }, '--url is the address of one server, and this run has postgres and other'],
  [[postgres!], { url, provision: 'local' as const }, '--url and --provision local contradict each other'],
  [[memory!], { provision: 'local' as const }, '--provision is a way to a server, and none is asked for'],
  [[memory!, sqlite!], { required: ['sqlite', 'postgres'] }, '--require postgres: nothing is judged on postgres'],
])('what means no engine of the run is refused (%#)', (chosen, options, message) => {
  expect(() => checkServers(chosen, { ...nothing, ...options })).toThrow(
    expect.objectContaining({ name: 'UsageError', message }),
  );
});

test('what means an engine of the run is taken', () => {
  checkServers([memory!, postgres!], { url, provision: 'url', required: ['postgres'] });
  checkServers([postgres!, other], { ...nothing, provision: 'embedded' });
});

function engine(over: Partial<Engine>): Engine {
  const whole: Partial<Engine> = { provider: 'fake', version: '1', examine: async () => [], kept: () => [], ...over };
  return whole as Engine;
}

test('only a server is told where it is and how it is had', async () => {
  const told: EngineOptions[] = [];
  const start = async (options: EngineOptions) => {
    told.push(options);
    return engine({});
  };
  const options = { url, provision: 'url' as const, keep: true };
  await startEngine(defineProvider({ ...postgres!, start }), [], options);
  await startEngine(defineProvider({ ...sqlite!, start }), [], options);
  expect(told).toEqual([{ keep: true, url: url.address, provision: 'url' }, { keep: true }]);
});

test('an engine lives as long as it gives leases', async () => {
  let released = 0;
  const lease = async () => ({ release: async () => void released++ }) as never;
  await mustLive(engine({ lease }), 'direct');
  expect(released).toBe(1);
  const gone = engine({ lease: () => Promise.reject(new Error('nothing answers')) });
  await expect(mustLive(gone, 'direct')).rejects.toThrow(new EngineEnded('fake ended during the run: nothing answers'));
});

test('an engine that ends while it is examined is stopped, and has ended; one that is ill is not stopped', async () => {
  const stopped: string[] = [];
  const ill = (name: string, lease: Engine['lease']) =>
    defineProvider({
      ...postgres!,
      start: async () =>
        engine({
          lease,
          examine: async () => [{ name: 'clock is sane', ok: false, detail: 'it is not' }],
          stop: async () => void stopped.push(name),
        }),
    });
  const lease = async () => ({ release: async () => {} }) as never;
  const { report } = await startEngine(ill('ill', lease), ['direct'], {});
  expect(report.doctor).toHaveLength(1);
  const refused = () => Promise.reject(new Error('nothing answers'));
  await expect(startEngine(ill('gone', refused), ['direct'], {})).rejects.toThrow(EngineEnded);
  expect(stopped).toEqual(['gone']);
});
