import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { ask, credentials } from '../ask.ts';
import { withGateway } from '../running-gateway.ts';

describe('a request with a JSON body', () => {
  const { core, gateway } = withGateway();
  beforeEach(() => {
    core.json.calls.length = 0;
    core.json.script = () => ({ json: '{"id":"wh_1"}' });
  });
  const post = (body: string | Buffer, headers: Record<string, string> = {}, path = '/v1/webhooks') =>
    ask(gateway.http, {
      method: 'POST',
      path,
      headers: { 'Content-Type': 'application/json', ...credentials, ...headers },
      body,
    });

  it('is sent to the core as a gRPC message with the same values', async () => {
    const body = {
      url: 'https://a.example/hook',
      servers: [{ game_id: 'rust', servers: ['192.0.2.1:1', '192.0.2.2:1'] }],
      events: [{ event: 'players_over', players: 20, for: '5m' }],
      one_message: true,
    };
    const answer = await post(JSON.stringify(body));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers.etag, undefined);
    const { url, servers, events, oneMessage } = core.json.calls[0]?.request ?? {};
    assert.deepEqual(
      { url, servers, events, oneMessage },
      {
        url: body.url,
        servers: [{ gameId: 'rust', servers: ['192.0.2.1:1', '192.0.2.2:1'] }],
        events: body.events,
        oneMessage: true,
      },
    );
  });

  it('is accepted if its body is larger than 64 KiB', async () => {
    const servers = Array.from({ length: 5_000 }, (_, i) => `192.0.2.1:${i + 1}`);
    const answer = await post(JSON.stringify({ servers: [{ game_id: 'rust', servers }] }));
    assert.equal(answer.status, 200, answer.text);
    const [group] = (core.json.calls[0]?.request.servers ?? []) as { servers: string[] }[];
    assert.equal(group?.servers.length, 5_000);
  });

  it('may have an empty body if the called method requires no field', async () => {
    const answer = await ask(gateway.http, {
      method: 'POST',
      path: '/v1/webhooks/wh_1/test',
      headers: credentials,
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(core.json.calls[0]?.request.id, 'wh_1');
  });

  const bad: [string, string, string, RegExp][] = [
    ['{', '', '', /line 1/],
    ['[]', '', '', /must be an object, not an array/],
    ['{"url":1}', 'url', '', /must be a string, not a number/],
    ['{"url":"\\ud800"}', 'url', '', /surrogate/],
    ['{"events":{}}', 'events', '', /must be an array, not an object/],
    ['{"events":[{"players":-1}]}', 'events[0].players', '', /whole number/],
    ['{"events":[{"players":1.5}]}', 'events[0].players', '', /whole number/],
    ['{"events":["online"]}', 'events[0]', '', /must be an object, not a string/],
    ['{"one_message":null}', 'one_message', '', /true or false, not null/],
    ['{"cooldwon":"5m"}', 'cooldwon', '', /is not known here; known are url/],
    ['{"__proto__":{"url":"x"}}', '__proto__', '', /is not known here/],
  ];
  for (const [body, where, , why] of bad) {
    it(`gets 400 POST_2 if the body is ${body}`, async () => {
      const { status: http, json } = await post(body);
      assert.equal(`${http} ${json.error}`, '400 POST_2');
      const [first] = json.details as { path: string; message: string }[];
      assert.equal(first?.path, where);
      assert.match(first?.message ?? '', why);
      assert.equal(core.json.calls.length, 0);
    });
  }

  it('gets the error POST_2 if its body repeats a field of the path', async () => {
    const { json } = await post('{"id":"wh_2"}', {}, '/v1/webhooks/wh_1/test');
    assert.equal(json.error, 'POST_2');
  });

  it('is refused if the Content-Type is wrong, the body is larger than 1 MiB, or the URL has a query', async () => {
    const answers = await Promise.all([
      post('{}', { 'Content-Type': 'text/plain' }),
      post(Buffer.alloc(1024 * 1024 + 1)),
      post('{}', {}, '/v1/webhooks?url=x'),
    ]);
    assert.deepEqual(
      answers.map(({ status: http, json }) => `${http} ${json.error}`),
      ['415 POST_4', '413 POST_5', '400 QUERY_1'],
    );
  });

  it('is authenticated before its body is checked, so only callers with valid credentials get errors about the body', async () => {
    core.script = () => ({ error: { code: status.UNAUTHENTICATED, message: 'no', details: [] } });
    const { status: http, json } = await post('{');
    assert.equal(`${http} ${json.error}`, '500 INTERNAL_1');
  });
});
