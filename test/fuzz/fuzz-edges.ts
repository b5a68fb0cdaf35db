import assert from 'node:assert/strict';
import { fetchServers } from '../contract/grpc.ts';
import { GAMES, postFetch } from '../contract/rest.ts';
import { ask } from '../gateway/ask.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { fuzzGrpc } from './fuzz-grpc.ts';
import { fuzzHttp } from './fuzz-http.ts';
import { FuzzedService } from './fuzzed-service.ts';
import { crowdOfSlowCallers } from './slow-callers.ts';

export interface EdgesOptions {
  /** Number of HTTP requests that the fuzzer sends. */
  http: number;
  /** Number of gRPC calls that the fuzzer makes. */
  grpc: number;
  seed: number;
}

/**
 * Numbers of HTTP requests and gRPC calls that warm up the JIT compiler and the object pools before memory is measured.
 */
const WARM_UP = { requests: 3_000, calls: 1_000 };
/**
 * Maximum growth of the used JavaScript memory of a fuzzed process after the warm-up, in bytes. The memory is measured
 * after a garbage collection. A leak of 200 bytes per request exceeds this limit after 100,000 requests.
 */
const MOST_GROWTH = 16 * 2 ** 20;
/**
 * Maximum growth of the resident memory of a fuzzed process after the warm-up, in bytes. The limit is high: V8 returns
 * freed memory slowly, and new objects of the gateway can occupy 96 MiB.
 */
const MOST_RSS_GROWTH = 192 * 2 ** 20;
/** Maximum response time for the well-behaved caller during the fuzz run, in milliseconds. */
const MOST_MS = 5_000;
const SLOW_CALLERS = 50;
/**
 * Minimum duration of the run with slow callers, in milliseconds. It is longer than 32 s: the gateway's timeout for a
 * request body is 30 s, and the gateway checks the timeout every 2 s.
 */
const PATIENCE_MS = 36_000;

/**
 * Sends valid requests to the fuzzed service, and resolves to the responses. The test compares the responses from
 * before and after the fuzz run.
 */
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

/**
 * Fuzzes a core and a gateway, each in a process of its own, while slow callers are connected. Prints the results.
 * Resolves to true if all checks passed.
 */
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
    const liveBytes = { core: await service.memory('core'), gateway: await service.memory('gateway') };
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
      const now = await service.memory(name);
      const growth = now.liveBytes - liveBytes[name].liveBytes;
      const rssGrowth = now.rss - liveBytes[name].rss;
      console.log(`${name}: ${mebibytes(growth)} more live, ${mebibytes(rssGrowth)} more resident`);
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
