/**
 * Runs in a worker thread or a child process in the place of a subject: installs the agent, and does with node:sqlite
 * what it is told. For the doctor and for tests.
 */
import { parentPort } from 'node:worker_threads';
import { agent } from './agent.ts';
import type { StandInReply, StandInRequest } from './stand-in-host.ts';

// Loaded as a subject loads it: after the agent.
const { DatabaseSync } = await import('node:sqlite');
const open = new Map<string, InstanceType<typeof DatabaseSync>>();

function connection(path: string): InstanceType<typeof DatabaseSync> {
  const db = open.get(path) ?? new DatabaseSync(path);
  open.set(path, db);
  return db;
}

function answer(request: StandInRequest): unknown {
  switch (request.do) {
    case 'agent':
      return agent.call(request.site, request.method, request.args);
    case 'run':
      return connection(request.path).exec(request.sql);
    case 'query':
      return connection(request.path)
        .prepare(request.sql)
        .all()
        .map((row) => ({ ...row }));
    case 'close':
      open.get(request.path)?.close();
      return void open.delete(request.path);
  }
}

function receive(request: StandInRequest): void {
  let reply: StandInReply;
  try {
    reply = { id: request.id, value: answer(request) };
  } catch (cause) {
    reply = { id: request.id, error: cause instanceof Error ? cause.message : String(cause) };
  }
  if (parentPort) parentPort.postMessage(reply);
  else process.send?.(reply);
}

if (parentPort) parentPort.on('message', receive);
else process.on('message', receive);
