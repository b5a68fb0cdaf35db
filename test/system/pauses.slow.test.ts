/**
 * Stops a core process (SIGSTOP) for some seconds while callers send requests. After the pause, the core must still
 * answer every request.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { ListTokensResponse__Output } from '../../proto/generated/gsq/v1/ListTokensResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { FetchLoad, reportOf } from './fetch-load.ts';
import { Stack } from './stack.ts';
import { bootstrap, INTERNAL_SECRET } from './stack-settings.ts';
import { until } from './until.ts';

const GAME = 'css';
/** Number of fetch requests per second that the test sends. */
const RATE = 500;
/**
 * Burst limit of the test's token, in requests per second: twice RATE. After a long pause, the core gets more requests
 * than this limit within a second. The core must still accept all requests, because requests that waited in the gateway
 * do not count against the limit.
 */
const BURST_LIMIT = 1_000;
const PAUSES_MS = [1_500, 5_000];
/**
 * INSERTS: number of requests that the test sends while the core process is paused. INSERTED: number of servers that
 * each of these requests inserts.
 */
const [INSERTS, INSERTED] = [3, 1_000];

let stack: Stack;

before(async () => {
  stack = await Stack.start({
    processes: ['core', 'gateway'],
    env: {
      GSQ_BURST_LIMIT: String(BURST_LIMIT),
      GSQ_INSERTS_PER_MINUTE: '100000',
      GSQ_MAX_UNPROVEN_PER_TOKEN: '100000',
    },
  });
});

after(() => stack.stop());

/**
 * Fetches servers over REST, so that gsq inserts the servers that it does not know. Returns the number of inserted
 * servers.
 */
async function insert(servers: string[]): Promise<number> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    },
    body: JSON.stringify({ servers: [{ game_id: GAME, servers }] }),
  });
  assert.equal(response.status, 200);
  return ((await response.json()) as { _meta: { auto_inserted: number } })._meta.auto_inserted;
}

/** Returns the number of requests that were charged to the token of this test. */
async function charged(): Promise<number> {
  const client = clients.admin(stack.internal);
  try {
    const { tokens } = await unary<ListTokensResponse__Output>(done =>
      client.listTokens({}, internalMetadata(INTERNAL_SECRET), done),
    );
    return tokens.find(({ email }) => email === bootstrap.email)?.used ?? Number.NaN;
  } finally {
    client.close();
  }
}

/** Waits until the test has received `count` more answers to its fetch requests. */
function moreAnswers(load: FetchLoad, count: number): Promise<unknown> {
  const from = load.answers.length;
  return until(
    `${count} answers`,
    () => load.answers.length - from,
    more => more >= count,
  );
}

PAUSES_MS.forEach((pauseMs, i) => {
  test(`after a freeze of ${pauseMs} ms, the core answers all requests, charges each request once, and inserts each server once`, async t => {
    const core = stack.process('core').child;
    const before = await charged();
    const load = new FetchLoad(stack.http, RATE, GAME, ['127.0.0.1:27015']);
    t.after(() => load.stop());
    await moreAnswers(load, RATE);
    core.signal('SIGSTOP');
    t.after(() => core.signal('SIGCONT'));
    const inserts = Array.from({ length: INSERTS }, (_, n) =>
      insert(Array.from({ length: INSERTED }, (_, port) => `127.0.${10 * i + n + 1}.1:${30_000 + port}`)),
    );
    await delay(pauseMs);
    core.signal('SIGCONT');
    const inserted = await Promise.all(inserts);
    await moreAnswers(load, RATE);
    await load.stop();
    const report = reportOf(load.answers);
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual(report.statuses, { 200: report.requests });
    assert.deepEqual(inserted, Array(INSERTS).fill(INSERTED));
    assert.equal((await charged()) - before, report.requests + INSERTS);
  });
});
