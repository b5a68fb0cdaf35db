import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Question } from '../gateway/ask.ts';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { addresses, bodyOf, fetchWithHeaders, oneServer, validBody } from './fetch-requests.ts';
import { assertError, type Group, metaIn, post, postFetch } from './rest.ts';
import { createToken, type TestToken } from './tokens.ts';

const MIB = 1024 * 1024;

describe('POST /v1/post/fetch', () => {
  let stack: CoreAndGateway;
  let free: TestToken;
  before(async () => {
    stack = await startCoreAndGateway();
    free = await createToken(stack.internal);
  });
  after(() => stack.stop());

  const withHeaders = (changes: Record<string, string | undefined>, body?: string) =>
    fetchWithHeaders(stack.http, free, changes, body);
  const withBody = (question: Question) => post(stack.http, question);

  it('answers 413 POST_5 if the body is larger than 1 MiB', async () => {
    assertError(await withBody({ body: bodyOf(MIB + 1) }), 413, 'POST_5');
    assert.equal((await withBody({ body: bodyOf(MIB) })).status, 200);
  });

  it('answers 413 POST_5 if a chunked body is larger than 1 MiB', async () => {
    const headers = { 'Transfer-Encoding': 'chunked' };
    assertError(await withBody({ body: bodyOf(MIB + 1), headers }), 413, 'POST_5');
  });

  it('answers 413 POST_5 if a gzip body is larger than 1 MiB after decompression', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(200 * MIB, ' '), { level: 1 });
    assert.ok(bomb.length < MIB);
    assertError(await withBody({ body: bomb, headers }), 413, 'POST_5');
    assertError(await withBody({ body: gzipSync(bodyOf(MIB + 1)), headers }), 413, 'POST_5');
    assert.equal((await withBody({ body: gzipSync(bodyOf(MIB)), headers })).status, 200);
  });

  it('answers 415 POST_4 if Content-Type is not application/json', async () => {
    for (const type of [
      undefined,
      '',
      'text/plain',
      'application/jsonp',
      'application/x-www-form-urlencoded',
    ]) {
      assertError(await withHeaders({ 'Content-Type': type }), 415, 'POST_4');
    }
    for (const type of [
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
    ]) {
      assert.equal((await withHeaders({ 'Content-Type': type })).status, 200, type);
    }
  });

  it('answers 400 POST_2 if the body is not JSON', async () => {
    for (const body of [
      '',
      ' ',
      '{',
      'servers=1',
      '{"servers":[}',
      `${validBody}}`,
      Buffer.from([0xff, 0xfe]),
    ]) {
      const answer = await withBody({ body });
      assertError(answer, 400, 'POST_2');
      assert.ok(Array.isArray(answer.json.details) && answer.json.details.length === 1, answer.text);
    }
  });

  const shapes: [unknown, string[]][] = [
    [null, ['']],
    ['text', ['']],
    [[], ['']],
    [{}, ['servers']],
    [{ servers: {} }, ['servers']],
    [{ servers: 'csgo' }, ['servers']],
    [{ servers: [null, 1] }, ['servers[0]', 'servers[1]']],
    [{ servers: [{}] }, ['servers[0].game_id', 'servers[0].servers']],
    [{ servers: [{ game_id: 1, servers: [] }] }, ['servers[0].game_id']],
    [{ servers: [{ game_id: 'csgo', servers: '127.0.0.1:27015' }] }, ['servers[0].servers']],
    [
      { servers: [...oneServer, { game_id: 'csgo', servers: ['a:1', 27015, null] }] },
      ['servers[1].servers[1]', 'servers[1].servers[2]'],
    ],
  ];
  for (const [shape, paths] of shapes) {
    it(`answers 400 POST_2 with the path of each error if the body is ${JSON.stringify(shape)}`, async () => {
      const answer = await withBody({ body: JSON.stringify(shape) });
      assertError(answer, 400, 'POST_2');
      const details = answer.json.details as { path: string; message: string }[];
      assert.deepEqual(
        details.map(({ path }) => path),
        paths,
      );
      for (const detail of details) {
        assert.deepEqual(Object.keys(detail), ['path', 'message']);
        assert.notEqual(detail.message, '');
      }
    });
  }

  it('answers 400 POST_3 if all groups together contain more than 1000 addresses', async () => {
    const all = addresses(1001);
    const split: Group[] = [
      { game_id: 'csgo', servers: all.slice(0, 500) },
      { game_id: 'teamfortress2', servers: all.slice(500) },
    ];
    assertError(await postFetch(stack.http, [{ game_id: 'csgo', servers: all }]), 400, 'POST_3');
    assertError(await postFetch(stack.http, split), 400, 'POST_3');
    const thousand = await postFetch(stack.http, [{ game_id: 'nosuchgame', servers: all.slice(1) }]);
    assert.equal(metaIn(thousand).invalid_servers.length, 1000);
  });
});
