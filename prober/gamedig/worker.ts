// Runs in a worker thread: gamedig's parsers see hostile bytes, and one that spins can be killed here.

import { parentPort } from 'node:worker_threads';
import { GameDig } from 'gamedig';
import type { Answer } from '../transport/answer.ts';
import { confineConnections } from './confine.ts';
import type { GamedigMessage, GamedigQuery } from './messages.ts';
import { readError, readResult } from './result.ts';

const SOCKET_TIMEOUT_MS = 2000;

if (!parentPort) throw new Error('prober/gamedig/worker.ts runs as a worker thread only');
const port = parentPort;
const tell = (message: GamedigMessage) => port.postMessage(message);

/** Endpoints, and by how many queries. */
const beingAsked = new Map<string, number>();
confineConnections((address, queriedPort) => beingAsked.has(`${address}:${queriedPort}`));
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
    return readResult(state, queriedPort, game);
  } catch (error) {
    return readError(error, access?.secret);
  } finally {
    const others = (beingAsked.get(asked) ?? 1) - 1;
    if (others > 0) beingAsked.set(asked, others);
    else beingAsked.delete(asked);
  }
}

port.on('message', async (query: GamedigQuery) => {
  tell({ kind: 'answer', id: query.id, answer: await ask(query) });
});
tell({ kind: 'ready' });
