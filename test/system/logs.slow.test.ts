import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { A2sServer } from './a2s-server.ts';
import { Stack } from './stack.ts';
import { bootstrap, type ProcessName } from './stack-settings.ts';
import { until } from './until.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

type Line = Record<string, unknown>;

describe('logs of all processes', () => {
  let server: A2sServer;
  let stack: Stack;

  before(async () => {
    server = await A2sServer.start();
    stack = await Stack.start({ env: { GSQ_LOG_LEVEL: 'debug' } });
  });
  after(async () => {
    await stack.stop();
    server.stop();
  });

  /** Returns all log lines of a process whose message is `message`. */
  function linesOf(name: ProcessName, message: string): Line[] {
    const lines = stack.process(name).child.output.split('\n').slice(0, -1);
    return lines
      .filter(line => line.startsWith('{'))
      .map((line): Line => JSON.parse(line))
      .filter(({ msg, name: who }) => msg === message && who === name);
  }

  async function ask(headers: Record<string, string>): Promise<string> {
    const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-token': bootstrap.token,
        'x-api-token-type': bootstrap.tier,
        'x-api-token-email': bootstrap.email,
        ...headers,
      },
      body: JSON.stringify({ servers: [{ game_id: 'csgo', servers: [server.address] }] }),
    });
    assert.equal(response.status, 200, await response.text());
    return response.headers.get('x-request-id') ?? '';
  }

  const answered = (name: ProcessName, id: string) =>
    until(
      `the line of ${id} in the ${name}`,
      () => linesOf(name, 'answered').find(({ request_id }) => request_id === id) ?? {},
      line => line.request_id === id,
    );

  test('contain the request id and the trace id of a request, in gateway and core', async () => {
    await ask({ 'x-request-id': 'mine-1', traceparent: `00-${TRACE}-${SPAN}-01` });
    for (const name of ['gateway', 'core'] as const) {
      const { trace_id, parent_id } = await answered(name, 'mine-1');
      assert.deepEqual([trace_id, parent_id], [TRACE, SPAN], name);
    }
    assert.equal((await answered('core', 'mine-1')).code, 'OK');
    assert.equal((await answered('gateway', 'mine-1')).status, 200);
  });

  test('contain a new request id instead of an invalid X-Request-Id header, and no trace id for an invalid traceparent header', async () => {
    const id = await ask({ 'x-request-id': 'x'.repeat(65), traceparent: `00-${TRACE}-${SPAN}-zz` });
    assert.match(id, /^[0-9a-f-]{36}$/);
    for (const name of ['gateway', 'core'] as const) {
      const line = await answered(name, id);
      assert.ok(!('trace_id' in line) && !('parent_id' in line), JSON.stringify(line));
    }
  });

  test('show a probe with the same server address and lease id (number of the order to probe) in core and prober', async () => {
    const probed = await until(
      'a probe',
      () => linesOf('prober', 'probed'),
      lines => lines.length > 0,
    );
    const [{ game_id, server: address, lease_id, outcome } = {}] = probed;
    assert.deepEqual([game_id, address, outcome], ['csgo', server.address, 'PROBE_OUTCOME_ONLINE']);
    const recorded = await until(
      'its record',
      () => linesOf('core', 'recorded').find(line => line.lease_id === lease_id),
      line => line !== undefined,
    );
    assert.deepEqual(
      [recorded?.game_id, recorded?.server, recorded?.outcome, recorded?.from, recorded?.status],
      ['csgo', server.address, 'PROBE_OUTCOME_ONLINE', 'pending', 'online'],
    );
  });

  test('do not contain the token of the caller', () => {
    for (const name of ['gateway', 'core', 'prober', 'notifier'] as const) {
      assert.ok(!stack.process(name).child.output.includes(bootstrap.token), name);
    }
  });
});

test('at the default log level, the logs contain no lines about single requests and probes', async t => {
  const server = await A2sServer.start();
  const stack = await Stack.start();
  t.after(() => server.stop());
  const asked = () => server.questions;
  for (let i = 0; i < 20; i++) {
    const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-token': bootstrap.token,
        'x-api-token-type': bootstrap.tier,
        'x-api-token-email': i % 2 ? bootstrap.email : 'nobody@example.com',
      },
      body: JSON.stringify({ servers: [{ game_id: 'csgo', servers: [server.address] }] }),
    });
    await response.arrayBuffer();
  }
  await until('probes', asked, questions => questions > 4);
  const outputs = (['gateway', 'core', 'prober', 'notifier'] as const).map(name => stack.process(name).child);
  await stack.stop();
  for (const { output } of outputs) {
    assert.doesNotMatch(output, /"(?:answered|probed|recorded)"/);
    assert.ok(output.split('\n').length < 10, output);
  }
});
