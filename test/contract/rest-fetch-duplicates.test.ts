import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NameServer } from '../system/name-server.ts';
import { freshAddress } from './fresh-address.ts';
import { keysIn, metaIn, postFetch, serverIn } from './rest.ts';
import { ScriptedStack } from './scripted-stack.ts';

describe('the answer to POST /v1/post/fetch', () => {
  let stack: ScriptedStack;
  let dns: NameServer;
  before(async () => {
    dns = await NameServer.start({ 'twin.example.com': { a: ['127.0.0.1'] } });
    stack = await ScriptedStack.start({ GSQ_DNS_SERVERS: dns.address });
  });
  after(async () => {
    await stack.stop();
    dns.stop();
  });

  const ask = (...servers: string[]) => postFetch(stack.http, [{ game_id: 'csgo', servers }]);

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

  it('contains a server under each spelling of its address in the request, but lists only the first spelling as inserted', async () => {
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

  it('shows the first game if the request contains two games for an address that was not probed yet', async () => {
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

  it('shows the game whose status is online if the request contains one address under two games', async () => {
    const address = freshAddress();
    const groups = [
      { game_id: 'csgo', servers: [address] },
      { game_id: 'teamfortress2', servers: [address] },
    ];
    await postFetch(stack.http, groups);
    await stack.becomesOnline('teamfortress2', address);
    const answer = await postFetch(stack.http, groups);
    assert.equal(serverIn(answer, address)._updater.status, 'online');
    assert.deepEqual(metaIn(answer).duplicate_servers, [{ game_id: 'csgo', server: address }]);
  });

  it('has no key `duplicate_servers` in _meta if one address is requested under a game id, its alias and an unknown game id', async () => {
    const address = freshAddress();
    const groups = ['nosuchgame', 'counterstrike2', 'cs2'].map(game_id => ({ game_id, servers: [address] }));
    const answer = await postFetch(stack.http, groups);
    assert.equal(serverIn(answer, address)._updater.status, 'pending');
    assert.equal(metaIn(answer).auto_inserted, 1);
    assert.equal(metaIn(answer).invalid_servers.length, 1);
    assert.equal(metaIn(answer).duplicate_servers, undefined);
  });

  it('lists an inserted server under the game alias of the request', async () => {
    const address = freshAddress();
    const answer = await postFetch(stack.http, [{ game_id: 'cs2', servers: [address] }]);
    assert.deepEqual(metaIn(answer).inserted_servers, [{ game_id: 'cs2', server: address }]);
    const byId = await postFetch(stack.http, [{ game_id: 'counterstrike2', servers: [address] }]);
    assert.equal(metaIn(byId).auto_inserted, 0);
  });
});
