import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { A2sServer } from './a2s-server.ts';
import { Launched } from './launched.ts';
import { randomNumbers } from './random-numbers.ts';
import { bootstrap, OPS_ADDR, type ProcessName, processNames } from './stack-settings.ts';
import { until } from './until.ts';

/** How often the test kills each process. A round takes about 15 s. */
const ROUNDS = Number(process.env.TEST_KILL_ROUNDS ?? 6);
const ROUND_LIMIT_MS = 20_000;
/** Number of server addresses in each fetch request with which the test inserts servers. */
const PAIRS = 5;
/**
 * Number of different server addresses that the test inserts. After the last address, the test inserts the first
 * address again, and so on.
 */
const MOST_PAIRS = 10_000;
/**
 * Game of the inserted servers. A probe of this game takes the prober little time: gsq probes it over TCP, and a closed
 * port refuses the connection immediately.
 */
const NEW_GAME = 'minecraft';

interface Answer {
  status: number;
  body: {
    error?: string;
    _meta?: { auto_inserted: number; inserted_servers: { server: string }[]; invalid_servers: unknown[] };
  } & Record<string, { _updater?: { status: string; last_probe_at: string | null } } | undefined>;
}

let service: Launched;
let game: A2sServer;

before(async () => {
  game = await A2sServer.start();
  service = await Launched.start({ GSQ_PROBE_INTERVAL: '1s' });
});

after(async () => {
  game.stop();
  assert.equal(await service.launcher.stop(), 0, service.launcher.report);
});

/**
 * Fetches servers over REST. Returns undefined if the connection to the gateway fails, for example while the gateway
 * restarts.
 */
async function fetchServers(gameId: string, addresses: readonly string[]): Promise<Answer | undefined> {
  try {
    const response = await fetch(`http://${service.addresses.GSQ_HTTP_ADDR}/v1/post/fetch`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-token': bootstrap.token,
        'x-api-token-type': bootstrap.tier,
        'x-api-token-email': bootstrap.email,
      },
      body: JSON.stringify({ servers: [{ game_id: gameId, servers: addresses }] }),
      signal: AbortSignal.timeout(ROUND_LIMIT_MS),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  } catch {
    return undefined;
  }
}

/**
 * Inserts new servers until `stop` is called, by fetching them without pause. Records all servers that the service
 * reports as inserted.
 */
class InsertLoad {
  readonly acknowledged: string[] = [];
  readonly refusals = new Map<string, number>();
  answers = 0;
  #next = 0;
  #stopped = false;
  readonly #done: Promise<unknown>;

  constructor(workers: number) {
    this.#done = Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const answer = await fetchServers(
        NEW_GAME,
        Array.from({ length: PAIRS }, () => this.#newAddress()),
      );
      this.answers++;
      if (answer?.status === 200) {
        for (const { server } of answer.body._meta?.inserted_servers ?? []) this.acknowledged.push(server);
      } else {
        const why = answer ? `${answer.status} ${answer.body.error}` : 'no connection';
        this.refusals.set(why, (this.refusals.get(why) ?? 0) + 1);
        // After a failed fetch, lets the event loop run the callbacks of other events before the next fetch.
        await turn();
      }
    }
  }

  /** Returns the loopback address of the next server to insert. No process listens on any of these addresses. */
  #newAddress(): string {
    const n = this.#next++ % MOST_PAIRS;
    return `127.${64 + ((n >> 16) & 63)}.${(n >> 8) & 255}.${n & 255}:30000`;
  }
}

/**
 * Waits until `load` has received `count` more answers to its inserts. Unlike a wait for a fixed time, this works on
 * slow and on fast machines.
 */
async function answersLater(load: InsertLoad, count: number): Promise<void> {
  const target = load.answers + count;
  while (load.answers < target) await turn();
}

const probedAt = (answer: Answer | undefined): string =>
  answer?.body[game.address]?._updater?.last_probe_at ?? '';

const isOnline = (answer: Answer | undefined): boolean =>
  answer?.body[game.address]?._updater?.status === 'online';

/** True if a process of the service reports that it is ready. */
async function isReady(name: ProcessName): Promise<boolean> {
  const response = await fetch(`http://${service.addresses[OPS_ADDR[name]]}/readyz`).catch(() => undefined);
  return response?.status === 200;
}

/**
 * Kills a process of the service. Resolves when the restarted process is ready and the game server of the test has been
 * probed again.
 */
async function killAndRecover(name: ProcessName): Promise<void> {
  const runs = service.runs(name).length;
  const before = probedAt(await fetchServers('rust', [game.address]));
  service.kill(name);
  await until(
    `the launcher to start ${name} again`,
    () => service.runs(name).length,
    count => count > runs,
  );
  await until(
    `${name} to be ready`,
    () => isReady(name),
    ready => ready,
  );
  await until(
    `a probe of the game server after a kill of ${name}`,
    () => fetchServers('rust', [game.address]),
    answer => isOnline(answer) && probedAt(answer) > before,
  );
}

test(`no acknowledged insert is lost if each process is killed ${ROUNDS} times during inserts`, async t => {
  await until('the game server to be online', () => fetchServers('rust', [game.address]), isOnline);
  const random = randomNumbers(1);
  const load = new InsertLoad(4);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of processNames) {
        await answersLater(load, 1 + random(40));
        await killAndRecover(name);
      }
    }
  } finally {
    await load.stop();
  }
  t.diagnostic(`${load.answers} requests, ${load.acknowledged.length} acknowledged inserts`);
  t.diagnostic(`refused: ${JSON.stringify(Object.fromEntries(load.refusals))}`);

  assert.ok(load.acknowledged.length > 1000, 'the load inserted too little to prove anything');
  assert.equal(new Set(load.acknowledged).size, load.acknowledged.length, 'a pair was acknowledged twice');
  for (const why of load.refusals.keys()) assert.match(why, /^(no connection|503 CORE_1|504 CORE_2)$/);
  for (let i = 0; i < load.acknowledged.length; i += 1000) {
    const answer = await fetchServers(NEW_GAME, load.acknowledged.slice(i, i + 1000));
    assert.equal(answer?.status, 200);
    assert.deepEqual(answer.body._meta?.inserted_servers, [], 'acknowledged inserts were lost');
    assert.deepEqual(answer.body._meta?.invalid_servers, []);
  }
  for (const name of processNames) assert.ok(service.runs(name).length > ROUNDS);
});
