// Code of the worker thread that runs the npm package gamedig. The parsers of gamedig read replies that can be hostile.
// If a parser hangs, the prober ends only this thread.

import { parentPort } from 'node:worker_threads';
import { GameDig, games } from 'gamedig';
import type { Answer } from '../answers/answer.ts';
import { acceptPlayerlessReplies, boundRequests } from './bounded-request.ts';
import { type ConnectionError, confineConnections } from './confine.ts';
import type { GamedigMessage, GamedigQuery } from './messages.ts';
import { readError, readResult } from './result.ts';

const SOCKET_TIMEOUT_MS = 2000;

if (!parentPort) throw new Error('prober/gamedig/worker.ts runs as a worker thread only');
const port = parentPort;
const tell = (message: GamedigMessage) => port.postMessage(message);

/** A query that gamedig is running. */
interface RunningQuery {
  /** Error of the last failed connection of this query; absent if no connection failed. */
  error?: ConnectionError;
}

/** Running gamedig queries, keyed by `address:port` of the queried server. */
const runningQueries = new Map<string, Set<RunningQuery>>();
confineConnections({
  vetted: (address, queriedPort) => runningQueries.has(`${address}:${queriedPort}`),
  failed: (address, queriedPort, error) => {
    for (const query of runningQueries.get(`${address}:${queriedPort}`) ?? []) query.error = error;
  },
});
boundRequests();
acceptPlayerlessReplies();
const gamedig = new GameDig();

async function ask({ game, endpoint, timeoutMs, access }: GamedigQuery): Promise<Answer> {
  const { address, port: queriedPort } = endpoint;
  const asked = `${address}:${queriedPort}`;
  const runningQuery: RunningQuery = {};
  const others = runningQueries.get(asked) ?? new Set();
  runningQueries.set(asked, others.add(runningQuery));
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
    return readResult(state, queriedPort, games[game]?.options.protocol ?? '');
  } catch (error) {
    return readError(error, { secret: access?.secret, connection: runningQuery.error });
  } finally {
    others.delete(runningQuery);
    if (others.size === 0) runningQueries.delete(asked);
  }
}

port.on('message', async (query: GamedigQuery) => {
  tell({ kind: 'answer', id: query.id, answer: await ask(query) });
});
tell({ kind: 'ready' });
