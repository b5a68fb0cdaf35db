import assert from 'node:assert/strict';
import { fetchServers } from '../contract/grpc.ts';
import { GAMES, postFetch } from '../contract/rest.ts';
import { ask } from '../gateway/ask.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { fuzzGrpc } from './fuzz-grpc.ts';
import { fuzzHttp } from './fuzz-http.ts';
import { FuzzedService } from './fuzzed-service.ts';
import type { MemoryReport } from './memory-report.ts';
import { crowdOfSlowCallers } from './slow-callers.ts';

export interface EdgesOptions {
  /** Requests. */
  http: number;
  /** Calls. */
  grpc: number;
  seed: number;
}

/** So many come first, so that code is compiled and pools are filled when memory is looked at. */
const WARM_UP = { requests: 3_000, calls: 1_000 };
/**
 * What may be held more than after the warm-up, once all that can be collected is. A leak of 200 bytes a request would be
 * over it after 100,000; what is compiled meanwhile is a tenth of it.
 */
const MOST_GROWTH = 16 * 2 ** 20;
/** The same of what the system gives, which V8 is slow to give back: its young generation alone is 96 MiB at the gateway. */
const MOST_RSS_GROWTH = 192 * 2 ** 20;
/** How long an honest caller may wait while all this goes on, ms. */
const MOST_MS = 5_000;
const SLOW_CALLERS = 50;
/** Longer than anything slow may take: 30 s for a body, and 2 s until that is looked at. */
const PATIENCE_MS = 36_000;

/** What the service says to those who ask rightly, and would say again. */
async function rightAnswers(service: FuzzedService): Promise<unknown> {
  const servers = ['192.0.2.1:27015', 'nonsense', '[2001:db8::1]:27015'];
  const games = await ask(service.http, { path: GAMES });
  const rest = await postFetch(service.http, [{ game_id: 'csgo', servers }]);
  assert.deepEqual([games.status, rest.status], [200, 200]);
  const grpc = await fetchServers(service.grpc, { servers: [{ gameId: 'csgo', servers }] });
  return { games: games.json, rest: rest.json, grpc };
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Wrong requests and calls for a core and a gateway of their own, beside slow ones; prints what came of them and returns
 * whether all is well. */
export async function fuzzEdges({ http, grpc, seed }: EdgesOptions): Promise<boolean> {
  const service = await FuzzedService.start();
  const random = randomNumbers(seed);
  const { http: address, grpc: publicPort, internal } = service;
  const run = async (requests: number, calls: number): Promise<void> => {
    if (requests > 0) console.log('http:', JSON.stringify(await fuzzHttp({ address, random, requests })));
    if (calls > 0)
      console.log('grpc:', JSON.stringify(await fuzzGrpc({ address: publicPort, internal, random, calls })));
  };
  try {
    const before = await rightAnswers(service);
    await run(http > 0 ? WARM_UP.requests : 0, grpc > 0 ? WARM_UP.calls : 0);
    const held = { core: await service.memory('core'), gateway: await service.memory('gateway') };
    const patience = new Promise(resolve => setTimeout(resolve, PATIENCE_MS));
    const fuzz = run(http, grpc);
    const slow = crowdOfSlowCallers(
      { http: address, grpc: publicPort },
      SLOW_CALLERS,
      Promise.all([fuzz, patience]),
    );
    await Promise.all([fuzz, slow]);
    const { callers, left, served, slowestMs } = await slow;
    console.log(
      `${callers} slow callers, ${left} left; an honest one: ${served} answers, slowest ${slowestMs.toFixed(0)} ms`,
    );
    let well = left === 0 && slowestMs <= MOST_MS;
    for (const name of ['core', 'gateway'] as const) {
      const now: MemoryReport = await service.memory(name);
      const growth = now.held - held[name].held;
      const rssGrowth = now.rss - held[name].rss;
      console.log(`${name}: ${mebibytes(growth)} more held, ${mebibytes(rssGrowth)} more resident`);
      if (growth > MOST_GROWTH || rssGrowth > MOST_RSS_GROWTH) well = false;
    }
    assert.deepEqual(await rightAnswers(service), before);
    service.checkWell();
    if (!well) console.log('FAILED');
    return well;
  } catch (error) {
    console.error(error);
    console.error(service.report);
    return false;
  } finally {
    await service.stop();
  }
}
