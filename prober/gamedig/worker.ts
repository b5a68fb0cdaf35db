// Runs in a worker thread: gamedig's parsers see hostile bytes, and one that spins can be killed here.

import { parentPort, workerData } from 'node:worker_threads';
import { GameDig } from 'gamedig';
import { TargetPolicy } from '../../proto/targets.ts';
import { Resolver } from '../../runtime/resolver.ts';
import type { Answer } from '../transport/answer.ts';
import { confineConnections } from './confine.ts';
import type { GamedigMessage, GamedigQuery, GamedigTargets, GamedigWorkerData } from './messages.ts';
import { readError, readResult } from './result.ts';
import { type Requester, shareLists } from './shared-lists.ts';

const SOCKET_TIMEOUT_MS = 2000;

if (!parentPort) throw new Error('prober/gamedig/worker.ts runs as a worker thread only');
const port = parentPort;
const tell = (message: GamedigMessage) => port.postMessage(message);

/** Endpoints, and by how many queries. */
const beingAsked = new Map<string, number>();
const { dnsServers } = workerData as GamedigWorkerData;
const resolver = new Resolver(dnsServers, () => performance.now());
let policy = new TargetPolicy([]);
confineConnections({
  vetted: (address, queriedPort) => beingAsked.has(`${address}:${queriedPort}`),
  allows: ip => policy.allows(ip),
  resolve: name => resolver.resolve(name),
});
// Not among what the package exports; all its protocols inherit from it.
const { default: Core }: { default: { prototype: Requester } } = await import(
  new URL('../protocols/core.js', import.meta.resolve('gamedig')).href
);
shareLists(Core.prototype, () => performance.now());
const gamedig = new GameDig();

async function ask({ game, endpoint, timeoutMs, access }: GamedigQuery): Promise<Answer> {
  const { address, port: queriedPort } = endpoint;
  const asked = `${address}:${queriedPort}`;
  beingAsked.set(asked, (beingAsked.get(asked) ?? 0) + 1);
  try {
    const state = await gamedig.query({
      ...access?.options,
      type: game,
      address,
      host: address,
      port: queriedPort,
      givenPortOnly: true,
      portCache: false,
      maxRetries: 1,
      socketTimeout: Math.min(SOCKET_TIMEOUT_MS, timeoutMs),
      attemptTimeout: timeoutMs,
    });
    return readResult(state, queriedPort);
  } catch (error) {
    return readError(error, access?.secret);
  } finally {
    const others = (beingAsked.get(asked) ?? 1) - 1;
    if (others > 0) beingAsked.set(asked, others);
    else beingAsked.delete(asked);
  }
}

port.on('message', async (message: GamedigQuery | GamedigTargets) => {
  if (message.kind === 'targets') {
    const { opened, ...refusals } = message.rules;
    policy = new TargetPolicy(opened, refusals);
  } else {
    tell({ kind: 'answer', id: message.id, answer: await ask(message) });
  }
});
tell({ kind: 'ready' });
