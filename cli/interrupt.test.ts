import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { watchSignals } from './interrupt.ts';

function watched() {
  const source = new EventEmitter();
  const clock = { now: 1000 };
  const options = { onFirst: vi.fn(), exit: vi.fn(), now: () => clock.now };
  return { source, clock, ...options, controller: watchSignals(source, options) };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s ends the run in order', (signal) => {
  const { source, controller, onFirst, exit } = watched();
  source.emit(signal);
  expect(controller.signal.aborted).toBe(true);
  expect(onFirst).toHaveBeenCalledExactlyOnceWith(signal);
  expect(exit).not.toHaveBeenCalled();
});

test('a second one leaves at once', () => {
  const { source, clock, exit } = watched();
  source.emit('SIGINT');
  clock.now += 500;
  source.emit('SIGTERM');
  expect(exit).toHaveBeenCalledExactlyOnceWith(130);
});

test('the same key press, passed on by npm, is no second one', () => {
  const { source, clock, exit, onFirst } = watched();
  source.emit('SIGINT');
  clock.now += 499;
  source.emit('SIGINT');
  expect(exit).not.toHaveBeenCalled();
  expect(onFirst).toHaveBeenCalledTimes(1);
});
