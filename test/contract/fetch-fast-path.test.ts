import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { FetchConversation, fetchJson, fetchServers } from './grpc.ts';
import type { InProcess } from './in-process.ts';
import { grpcAnswer } from './plain-grpc-answer.ts';
import { restText } from './plain-rest-answer.ts';
import { RandomRequests } from './random-requests.ts';
import { RandomServers } from './random-servers.ts';
import { assertSameText, startWithServers } from './random-service.ts';
import { pairsOf } from './requested-pairs.ts';
import { type Group, post, postFetch } from './rest.ts';

/**
 * Tests the fast path of fetches, which copies encoded bytes into answers. The expected answers come from the simple
 * code in plain-*.ts.
 */

const random = new RandomServers();
const requests = new RandomRequests(random);

/**
 * Returns the REST answer that the core must give to a request now. The core inserts the servers of this request that
 * are not tracked yet, so this function also adds them to `random`, the expected set of tracked servers.
 */
const expectedText = (groups: readonly Group[]) => restText(pairsOf(groups, random), random.clock.ms);

describe('the optimized fetch code and a simple reference implementation', () => {
  let service: InProcess;
  before(async () => {
    service = await startWithServers(random);
  });
  after(() => service.stop());

  test('give the same REST answers to first and repeated requests, with and without gzip', async () => {
    for (let round = 0; round < 100; round++) {
      const groups = requests.groups();
      const first = await postFetch(service.http, groups);
      assertSameText(first.text, expectedText(groups));
      const again = expectedText(groups);
      for (const encoding of ['gzip', 'gzip', 'identity']) {
        const answer = await postFetch(service.http, groups, { 'Accept-Encoding': encoding });
        assertSameText(answer.text, again);
      }
    }
  });

  test('give the same REST answer to a request with a thousand servers', async () => {
    const servers = requests.addresses(1000);
    const groups = [{ game_id: 'csgo', servers }];
    const answer = await post(service.http, { body: JSON.stringify({ servers: groups }) });
    assertSameText(answer.text, expectedText(groups));
  });

  test('give the same answers over FetchStream without gzip', async () => {
    const conversation = new FetchConversation(service.grpc);
    for (let round = 1; round <= 100; round++) {
      const groups = requests.groups();
      const expected = expectedText(groups);
      const servers = groups.map(group => ({ gameId: group.game_id, servers: group.servers }));
      conversation.send({ id: round, fetch: { servers } });
      const { fetched } = await conversation.next();
      assert.equal(fetched?.gzipped, false);
      assertSameText(String(fetched?.body), expected);
    }
    await conversation.end();
  });

  test('give the same answers over FetchStream with gzip', async () => {
    const conversation = new FetchConversation(service.grpc);
    let joined = 0;
    for (let round = 1; round <= 100; round++) {
      const groups = requests.groups();
      assertSameText((await postFetch(service.http, groups)).text, expectedText(groups));
      const expected = expectedText(groups);
      const servers = groups.map(group => ({ gameId: group.game_id, servers: group.servers }));
      for (let time = 0; time < 2; time++) {
        conversation.send({ id: round, fetch: { servers }, acceptGzip: true });
        const { fetched } = await conversation.next();
        assert.ok(fetched);
        if (fetched.gzipped) joined++;
        assertSameText(String(fetched.gzipped ? gunzipSync(fetched.body) : fetched.body), expected);
      }
    }
    await conversation.end();
    assert.ok(joined > 50, `${joined} came compressed`);
  });

  test('give the same JSON to first and repeated gRPC calls of FetchServersJson', async () => {
    for (let round = 0; round < 100; round++) {
      const groups = requests.groups();
      const servers = groups.map(group => ({ gameId: group.game_id, servers: group.servers }));
      const first = await fetchJson(service.grpc, { servers });
      assert.equal(first.contentType, 'application/json; charset=utf-8');
      assertSameText(String(first.data), expectedText(groups));
      for (let time = 0; time < 2; time++) {
        assertSameText(String((await fetchJson(service.grpc, { servers })).data), expectedText(groups));
      }
    }
  });

  test('give the same answers to the gRPC call FetchServers', async () => {
    for (let round = 0; round < 100; round++) {
      const groups = requests.groups();
      const expected = grpcAnswer(pairsOf(groups, random), random.clock.ms);
      const servers = groups.map(group => ({ gameId: group.game_id, servers: group.servers }));
      const answer = await fetchServers(service.grpc, { servers });
      const { results, meta } = JSON.parse(JSON.stringify(answer));
      assert.deepEqual(meta, expected.meta);
      assert.equal(results.length, expected.results.length);
      for (const [i, result] of expected.results.entries()) assert.deepEqual(results[i], result);
    }
  });
});
