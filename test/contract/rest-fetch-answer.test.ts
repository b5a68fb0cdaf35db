import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NameServer } from '../system/name-server.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { freshAddress } from './fresh-address.ts';
import { fetchOne, invalidUpdater, keysIn, metaIn, post, postFetch, serverIn } from './rest.ts';
import { online, ScriptedProber } from './scripted-prober.ts';

describe('the answer to POST /v1/post/fetch', () => {
  let stack: Stack;
  let dns: NameServer;
  let prober: ScriptedProber;
  before(async () => {
    dns = await NameServer.start({
      'play.example.com': { a: ['127.0.0.1'] },
      'twin.example.com': { a: ['127.0.0.1'] },
    });
    const env = { GSQ_DNS_SERVERS: dns.address };
    stack = await Stack.start({ env, processes: ['core', 'gateway'] });
    prober = new ScriptedProber(stack.internal);
  });
  after(async () => {
    prober.leave();
    await stack.stop();
    dns.stop();
  });

  const ask = (...servers: string[]) => postFetch(stack.http, [{ game_id: 'csgo', servers }]);
  const becomesOnline = async (gameId: string, address: string) => {
    prober.find(gameId, address, online());
    const look = () => fetchOne(stack.http, gameId, address);
    await until(`${gameId} ${address} online`, look, ({ _updater }) => _updater.status === 'online');
  };
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

  it('shows only a fallback message and _updater for a pending server', async () => {
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

  it('shows an invalid address with status invalid, interval 0 and null times', async () => {
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

  it('lists a host name that resolves to an allowed target as inserted, and shows it online after a probe', async () => {
    const address = 'play.example.com:27015';
    const answer = await ask(address);
    assert.deepEqual(metaIn(answer).inserted_servers, [{ game_id: 'csgo', server: address }]);
    await becomesOnline('csgo', address);
  });

  it('contains a pair of game and address once if the request repeats the pair', async () => {
    const address = freshAddress();
    const answer = await postFetch(stack.http, [
      { game_id: 'csgo', servers: [address, address] },
      { game_id: 'csgo', servers: [address, 'nonsense'] },
      { game_id: 'csgo', servers: ['nonsense'] },
    ]);
    const meta = metaIn(answer);
    assert.deepEqual(keysIn(answer), [address, 'nonsense', '_meta']);
    assert.equal(meta.auto_inserted, 1);
    assert.equal(meta.inserted_servers.length, 1);
    assert.equal(meta.invalid_servers.length, 1);
    assert.equal(meta.duplicate_servers, undefined);
  });

  it('has a key for each of two spellings of one address, and lists only the first as inserted', async () => {
    const pairs = [
      ['TWIN.example.com.:27100', 'twin.example.com:27100'],
      ['[::ffff:127.0.0.1]:27101', '127.0.0.1:27101'],
      ['[::FFFF:7F00:0001]:27102', '127.0.0.1:27102'],
    ];
    for (const [odd = '', canonical = ''] of pairs) {
      const both = await ask(odd, canonical);
      assert.deepEqual(keysIn(both), [odd, canonical, '_meta']);
      assert.deepEqual(metaIn(both).inserted_servers, [{ game_id: 'csgo', server: odd }]);
      assert.deepEqual(serverIn(both, odd), serverIn(both, canonical));
      assert.equal(metaIn(await ask(canonical)).auto_inserted, 0);
      assert.equal(metaIn(await ask(odd)).auto_inserted, 0);
    }
  });

  it('shows the first of two pending games at one address, and lists the second in duplicate_servers', async () => {
    const address = freshAddress();
    const groups = [
      { game_id: 'csgo', servers: [address] },
      { game_id: 'teamfortress2', servers: [address] },
    ];
    const refs = groups.map(({ game_id }) => ({ game_id, server: address }));
    const answer = await postFetch(stack.http, groups);
    assert.deepEqual(keysIn(answer), [address, '_meta']);
    assert.deepEqual(Object.keys(metaIn(answer)), [
      'auto_inserted',
      'inserted_servers',
      'invalid_servers',
      'duplicate_servers',
    ]);
    assert.deepEqual(metaIn(answer).inserted_servers, refs);
    assert.deepEqual(metaIn(answer).duplicate_servers, [refs[1]]);
    const swapped = await postFetch(stack.http, groups.toReversed());
    assert.deepEqual(metaIn(swapped).duplicate_servers, [refs[0]]);
  });

  it('shows the online game of two games at one address, and lists the pending game in duplicate_servers', async () => {
    const address = freshAddress();
    const groups = [
      { game_id: 'csgo', servers: [address] },
      { game_id: 'teamfortress2', servers: [address] },
    ];
    await postFetch(stack.http, groups);
    await becomesOnline('teamfortress2', address);
    const answer = await postFetch(stack.http, groups);
    assert.equal(serverIn(answer, address)._updater.status, 'online');
    assert.deepEqual(metaIn(answer).duplicate_servers, [{ game_id: 'csgo', server: address }]);
  });

  it('has no duplicate_servers if one address is requested for an unknown game, a known game and its alias', async () => {
    const address = freshAddress();
    const groups = ['nosuchgame', 'counterstrike2', 'cs2'].map(game_id => ({ game_id, servers: [address] }));
    const answer = await postFetch(stack.http, groups);
    assert.equal(serverIn(answer, address)._updater.status, 'pending');
    assert.equal(metaIn(answer).auto_inserted, 1);
    assert.equal(metaIn(answer).invalid_servers.length, 1);
    assert.equal(metaIn(answer).duplicate_servers, undefined);
  });

  it('has the alias of a game in game_id if the caller wrote the alias, and treats both as one game', async () => {
    const address = freshAddress();
    const answer = await postFetch(stack.http, [{ game_id: 'cs2', servers: [address] }]);
    assert.deepEqual(metaIn(answer).inserted_servers, [{ game_id: 'cs2', server: address }]);
    const byId = await postFetch(stack.http, [{ game_id: 'counterstrike2', servers: [address] }]);
    assert.equal(metaIn(byId).auto_inserted, 0);
  });

  it('reports a requested address _meta as malformed, and has no server under the key _meta', async () => {
    const answer = await ask('_meta', '127.0.0.1:27015');
    assert.deepEqual(keysIn(answer), ['127.0.0.1:27015', '_meta']);
    assert.equal(answer.text.split('"_meta":{').length, 2);
    assert.deepEqual(
      metaIn(answer).invalid_servers.map(({ server, reason }) => [server, reason]),
      [['_meta', 'malformed_address']],
    );
  });

  it('has names such as __proto__ and constructor as plain keys if they are requested as addresses', async () => {
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

  it('lists a new server as inserted for only one of 20 concurrent requests', async () => {
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
