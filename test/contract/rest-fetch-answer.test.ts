import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NameServer } from '../system/name-server.ts';
import { freshAddress } from './fresh-address.ts';
import { fetchOne, invalidUpdater, keysIn, metaIn, post, postFetch, serverIn } from './rest.ts';
import { ScriptedStack } from './scripted-stack.ts';

describe('the answer to POST /v1/post/fetch', () => {
  let stack: ScriptedStack;
  let dns: NameServer;
  before(async () => {
    dns = await NameServer.start({ 'play.example.com': { a: ['127.0.0.1'] } });
    stack = await ScriptedStack.start({ GSQ_DNS_SERVERS: dns.address });
  });
  after(async () => {
    await stack.stop();
    dns.stop();
  });

  const ask = (...servers: string[]) => postFetch(stack.http, [{ game_id: 'csgo', servers }]);

  it('has each requested address as a key, exactly as the caller wrote it, and _meta as the last key', async () => {
    const written = [
      '127.0.0.1:27500',
      'LOCALHOST.:27501',
      '[::FFFF:127.0.0.1]:27502',
      ' x',
      '',
      'é:1',
      '"\\\n',
    ];
    const answer = await ask(...written);
    assert.deepEqual(keysIn(answer), [...written, '_meta']);
    assert.ok(answer.text.lastIndexOf('"_meta":') > answer.text.lastIndexOf('"_updater":'));
    assert.ok(answer.text.startsWith('{"127.0.0.1:27500":'));
  });

  it('contains only _meta with three keys if the request contains no address', async () => {
    for (const groups of [[], [{ game_id: 'csgo', servers: [] }], [{ game_id: 'nosuchgame', servers: [] }]]) {
      const answer = await postFetch(stack.http, groups);
      assert.equal(answer.text, '{"_meta":{"auto_inserted":0,"inserted_servers":[],"invalid_servers":[]}}');
    }
  });

  it('lists in _meta the servers that the request inserted', async () => {
    const [one, two] = [freshAddress(), freshAddress()];
    assert.deepEqual(metaIn(await ask(one, two)), {
      auto_inserted: 2,
      inserted_servers: [
        { game_id: 'csgo', server: one },
        { game_id: 'csgo', server: two },
      ],
      invalid_servers: [],
    });
    const nothing = { auto_inserted: 0, inserted_servers: [], invalid_servers: [] };
    assert.deepEqual(metaIn(await ask(one, two)), nothing);
  });

  it('contains only the keys `message` and `_updater` for a server that gsq has not probed yet', async () => {
    const address = freshAddress();
    const server = await fetchOne(stack.http, 'csgo', address);
    assert.deepEqual(Object.keys(server), ['message', '_updater']);
    assert.notEqual(server.message, '');
    const { next_probe_at, ...updater } = server._updater;
    assert.deepEqual(updater, {
      status: 'pending',
      firewall_interval_minutes: 1,
      firewall_label: 'none',
      last_probe_at: null,
      last_online_at: null,
      reason: 'unprobed',
    });
    assert.match(String(next_probe_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('shows an invalid address with the status `invalid`, `firewall_interval_minutes` 0, and null in place of times', async () => {
    const server = serverIn(await ask('nonsense'), 'nonsense');
    assert.deepEqual(Object.keys(server), ['message', '_updater']);
    assert.notEqual(server.message, '');
    assert.deepEqual(server._updater, invalidUpdater);
  });

  it('has status 200 if the request contains valid and invalid pairs of game and address', async () => {
    const address = freshAddress();
    const answer = await postFetch(stack.http, [
      { game_id: 'csgo', servers: ['nonsense', address] },
      { game_id: 'nosuchgame', servers: ['127.0.0.1:27015'] },
    ]);
    const meta = metaIn(answer);
    assert.deepEqual(meta.inserted_servers, [{ game_id: 'csgo', server: address }]);
    assert.deepEqual(
      meta.invalid_servers.map(({ game_id, server, reason }) => [game_id, server, reason]),
      [
        ['csgo', 'nonsense', 'malformed_address'],
        ['nosuchgame', '127.0.0.1:27015', 'unknown_game'],
      ],
    );
    for (const entry of meta.invalid_servers) {
      assert.deepEqual(Object.keys(entry), ['game_id', 'server', 'reason', 'message']);
    }
    assert.equal(serverIn(answer, address)._updater.status, 'pending');
  });

  it('lists a host name as inserted if gsq may probe its IP address', async () => {
    const address = 'play.example.com:27015';
    const answer = await ask(address);
    assert.deepEqual(metaIn(answer).inserted_servers, [{ game_id: 'csgo', server: address }]);
    await stack.becomesOnline('csgo', address);
  });

  it('reports the address "_meta" as malformed_address, and contains no server under the key _meta', async () => {
    const answer = await ask('_meta', '127.0.0.1:27015');
    assert.deepEqual(keysIn(answer), ['127.0.0.1:27015', '_meta']);
    assert.equal(answer.text.split('"_meta":{').length, 2);
    assert.deepEqual(
      metaIn(answer).invalid_servers.map(({ server, reason }) => [server, reason]),
      [['_meta', 'malformed_address']],
    );
  });

  it('contains requested addresses such as `__proto__` and `constructor` as plain keys', async () => {
    const odd = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '__proto__:27015',
      'constructor:27015',
    ];
    const answer = await ask(...odd);
    assert.deepEqual(keysIn(answer), [...odd, '_meta']);
    for (const address of odd) assert.equal(serverIn(answer, address)._updater.status, 'invalid', address);
    assert.deepEqual(
      metaIn(answer).invalid_servers.map(({ server }) => server),
      odd,
    );
  });

  it('contains all 1000 addresses of a request', async () => {
    const servers = Array.from({ length: 1000 }, freshAddress);
    const answer = await ask(...servers);
    assert.deepEqual(keysIn(answer), [...servers, '_meta']);
    assert.equal(metaIn(answer).auto_inserted, 1000);
  });

  it('lists a new server as inserted only once if 20 concurrent requests contain it', async () => {
    const address = freshAddress();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(address)));
    const inserted = answers.map(answer => metaIn(answer).auto_inserted);
    assert.deepEqual(inserted.toSorted(), [...Array(19).fill(0), 1]);
    for (const answer of answers) assert.equal(serverIn(answer, address)._updater.status, 'pending');
  });

  it('does not depend on unknown keys in the request body', async () => {
    const address = freshAddress();
    const group = `{"game_id":"csgo","servers":["${address}"],"__proto__":{"servers":1},"note":null}`;
    const answer = await post(stack.http, { body: `{"servers":[${group}],"constructor":[]}` });
    assert.equal(metaIn(answer).auto_inserted, 1);
  });
});
