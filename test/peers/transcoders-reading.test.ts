/**
 * Compares REST answers of Envoy and grpc-gateway with those of gsq's gateway, for tracked servers and webhooks.
 * docs/grpc.md explains the expected differences.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { goOffline, nextProbe } from '../contract/going-offline.ts';
import { ADDRESS, ProbedServer } from '../contract/probed-server.ts';
import { assertSameText } from '../contract/random-service.ts';
import { noReply, online } from '../contract/scripted-prober.ts';
import { openEvents } from '../gateway/events/open-events.ts';
import { credentials } from './callers.ts';
import { ComparedServers, rpcErrorIn, statusOf } from './compared-servers.ts';
import {
  readablePaths,
  readingDifferences,
  readingOf,
  refusals,
  registrationOf,
  SERVER,
  validWebhook,
} from './reading-requests.ts';
import { send } from './transcoder.ts';
import { serverNames } from './transcoder-requests.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

describe('a REST-to-gRPC transcoder (Envoy or grpc-gateway)', () => {
  let probed: ProbedServer;
  let servers: ComparedServers;
  before(async () => {
    probed = await ProbedServer.start();
    await probed.becomesOnline();
    await reportPlayers(5);
    await reportOutage();
    await reportPlayers(7);
    await reportOutage();
    servers = await ComparedServers.start(probed.service);
  });
  after(async () => {
    await servers.stop();
    await probed.stop();
  });

  async function reportPlayers(players: number): Promise<void> {
    probed.prober.find('csgo', ADDRESS, online(players));
    await nextProbe(probed.clock, probed.rest);
  }

  async function reportOutage(): Promise<void> {
    probed.prober.find('csgo', ADDRESS, noReply);
    await goOffline(probed.clock, probed.rest);
  }

  it('returns the same bytes as the gateway of gsq for each read-only path', async () => {
    for (const path of readablePaths) {
      const { gateway, ...others } = await servers.ask(readingOf(path));
      assert.equal(gateway.status, 200, `${path}: ${gateway.body}`);
      for (const [name, answer] of Object.entries(others)) {
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, JSON_TYPE], name + path);
        assertSameText(answer.body, gateway.body);
      }
    }
  });

  it('returns two incidents for a server that was offline twice', async () => {
    const { envoy: history } = await servers.ask(readingOf(`${SERVER}/history?step=60s`));
    const { samples } = JSON.parse(history.body);
    assert.ok(samples.includes(null) && samples.some((sample: unknown) => sample !== null));
    const { envoy: incidents } = await servers.ask(readingOf(`${SERVER}/incidents`));
    assert.equal(JSON.parse(incidents.body).incidents.length, 2);
  });

  it('answers webhook requests with the same JSON as the gateway of gsq, except for ids', async () => {
    const registered = Object.values(await servers.ask(registrationOf(validWebhook)));
    assert.deepEqual(registered.map(statusOf), ['200', '200', '200']);
    const [gateway, ...others] = registered.map(({ body }) => withoutIds(body));
    for (const text of others) assertSameText(text, gateway ?? '');
    for (const { body } of registered) {
      const { id } = JSON.parse(body).webhook;
      for (const path of ['/v1/webhooks', `/v1/webhooks/${id}`]) await sameFrom(readingOf(path));
      for (const tested of Object.values(await servers.ask(registrationOf('{}', `/v1/webhooks/${id}/test`))))
        assert.match(tested.body, /^\{"delivery_id":"[^"]+"\}$/);
      await sameFrom(readingOf(`/v1/webhooks/${id}/deliveries`));
    }
    for (const [index, name] of serverNames.entries()) {
      const { id } = JSON.parse(registered[index]?.body ?? '').webhook;
      const question = readingOf(`/v1/webhooks/${id}`, { method: 'DELETE' });
      const { status, body } = await send(servers.addressOf(name), question);
      assert.deepEqual([status, body], [200, '{}'], name);
    }
    await sameFrom(readingOf('/v1/webhooks'));
  });

  async function sameFrom(question: ReturnType<typeof readingOf>): Promise<void> {
    const { gateway, ...others } = await servers.ask(question);
    assert.equal(gateway.status, 200, gateway.body);
    for (const { body } of Object.values(others)) assertSameText(body, gateway.body);
  }

  it('returns the same HTTP status, message and error code as the gateway if the core refuses a request', async () => {
    for (const [refusal, question] of refusals) {
      const { gateway, ...others } = await servers.ask(question);
      const { error, message, details } = JSON.parse(gateway.body);
      assert.equal(`${gateway.status} ${error}`, refusal, question.path);
      for (const answer of Object.values(others))
        assert.deepEqual([answer.status, rpcErrorIn(answer)], [gateway.status, { error, message, details }]);
    }
  });

  for (const [what, question, statuses] of readingDifferences) {
    it(`answers with the expected HTTP status, which can differ from the status of the gateway of gsq: ${what}`, async () => {
      const answers = Object.entries(await servers.ask(question));
      assert.deepEqual(
        Object.fromEntries(answers.map(([name, answer]) => [name, statusOf(answer)])),
        statuses,
      );
    });
  }

  it('answers 404 for the Atom feed of incidents, which only the gateway of gsq has', async () => {
    const answers = await servers.ask(readingOf(`${SERVER}/incidents.atom`));
    assert.deepEqual(
      Object.values(answers).map(({ status }) => status),
      [200, 404, 404],
    );
  });

  it('sends the same Cache-Control header as the gateway of gsq, if the transcoder is Envoy', async () => {
    const questions = ['/v1/servers', SERVER, `${SERVER}/history`, '/v1/summary', '/v1/webhooks'].map(path =>
      readingOf(path),
    );
    for (const question of [...questions, registrationOf(validWebhook)]) {
      const { gateway, envoy } = await servers.ask(question);
      assert.equal(envoy.headers.get('cache-control'), gateway.headers.get('cache-control'), question.path);
    }
  });

  it('sends the same lines of an event stream as the gateway of gsq, each without delay', async () => {
    const headers = { ...credentials, Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' };
    const path = `/v1/events?server=csgo/${ADDRESS}&server=csgo/127.0.0.1:27016`;
    const streams = await Promise.all(
      serverNames.map(name => openEvents(servers.addressOf(name), path, headers)),
    );
    for (const { response } of streams) {
      assert.match(String(response.headers['content-type']), /^application\/x-ndjson/);
      assert.equal(response.headers['content-encoding'], undefined);
    }
    // Waits until every event stream has sent a `snapshot` event. If a transcoder (REST to gRPC) delays this event
    // until the next event, the wait never ends, because the test causes the next event only after the wait.
    await Promise.all(streams.map(stream => stream.until(/"event":"snapshot".*\n/)));
    await reportPlayers(9);
    const texts = await Promise.all(streams.map(stream => stream.until(/"event":"change".*"players":9.*\n/)));
    for (const stream of streams) stream.close();
    // grpc-gateway adds an empty line after each JSON line of an event stream.
    const [gateway, ...others] = texts.map(text => text.split('\n').filter(line => line !== ''));
    for (const lines of others) assert.deepEqual(lines, gateway);
  });
});

/** Returns the answer to a webhook registration, with an empty id and secret, because these differ each time. */
function withoutIds(body: string): string {
  return body.replace(/"id":"[^"]+"/, '"id":""').replace(/"secret":"[^"]+"/, '"secret":""');
}
