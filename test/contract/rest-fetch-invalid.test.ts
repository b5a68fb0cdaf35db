import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NameServer } from '../system/name-server.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { invalidUpdater, metaIn, postFetch, serverIn } from './rest.ts';

describe('invalid_servers of POST /v1/post/fetch', () => {
  let service: InProcess;
  let dns: NameServer;
  before(async () => {
    dns = await NameServer.start({
      'play.example.com': { a: ['127.0.0.1'] },
      'inside.example.com': { a: ['10.0.0.1'] },
    });
    service = await startInProcess({ GSQ_DNS_SERVERS: dns.address });
  });
  after(async () => {
    await service.stop();
    dns.stop();
  });

  /** Fetches one invalid address and checks the answer. Returns the `reason` why the address is invalid. */
  const refusal = async (address: string, gameId = 'csgo') => {
    const answer = await postFetch(service.http, [{ game_id: gameId, servers: [address] }]);
    const meta = metaIn(answer);
    assert.equal(meta.auto_inserted, 0, address);
    assert.equal(meta.invalid_servers.length, 1, `${address}: ${answer.text}`);
    const [{ game_id, server, reason = '', message = '' } = { game_id: '', server: '' }] =
      meta.invalid_servers;
    assert.deepEqual([game_id, server], [gameId, address]);
    assert.notEqual(message, '');
    assert.deepEqual(serverIn(answer, address)._updater, invalidUpdater);
    return reason;
  };

  it('reports an unknown game as unknown_game', async () => {
    for (const gameId of [
      'nosuchgame',
      '',
      'CSGO',
      'csgo ',
      '__proto__',
      'constructor',
      'Counter-Strike 2',
    ]) {
      assert.equal(await refusal('127.0.0.1:27015', gameId), 'unknown_game', gameId);
    }
  });

  it('reports an address as malformed_address if its form is not IPv4:port, [IPv6]:port or name:port', async () => {
    const malformed = [
      '',
      'example.com',
      'example.com:',
      ':27015',
      '127.0.0.1',
      '127.0.0.1:0',
      '127.0.0.1:65536',
      '127.0.0.1:00',
      '127.0.0.1:+27015',
      '127.0.0.1:2e4',
      ' 127.0.0.1:27015',
      '256.0.0.1:27015',
      '127.1:27015',
      '2130706433:27015',
      '0x7f.0.0.1:27015',
      '0177.0.0.1:27015',
      '::1:27015',
      '[::1:27015',
      '[gg::1]:27015',
      '[fe80::1%25eth0]:27015',
      '[127.0.0.1]:27015',
      'http://example.com:27015',
      'user@example.com:27015',
      'exa mple.com:27015',
      'example..com:27015',
      '-example.com:27015',
      `${'a'.repeat(64)}.com:27015`,
      `${'a.'.repeat(127)}com:27015`,
      'example.com:27015/path',
      'example.com:27015\0',
    ];
    for (const address of malformed) assert.equal(await refusal(address), 'malformed_address', address);
  });

  it('reports private, loopback, link-local, CGNAT, multicast and reserved targets as blocked_address', async () => {
    const blocked = [
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '0.0.0.0',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fc00::1]',
      '[ff02::1]',
      '[2001:db8::1]',
      '[::ffff:10.0.0.1]',
      '[64:ff9b::10.0.0.1]',
      '[2002:a00:1::1]',
    ];
    for (const host of blocked) assert.equal(await refusal(`${host}:27015`), 'blocked_address', host);
  });

  it('reports a port of a well-known service, such as 22 or 443, as blocked_address', async () => {
    for (const port of [1, 22, 25, 53, 80, 123, 443, 1023, 1433, 3306, 3389, 5432, 6379, 11211]) {
      assert.equal(await refusal(`127.0.0.1:${port}`), 'blocked_address', String(port));
    }
    assert.equal(await refusal('play.example.com:25'), 'blocked_address');
  });

  it('reports a host name that resolves to a private address as blocked_address', async () => {
    assert.equal(await refusal('inside.example.com:27015'), 'blocked_address');
  });

  it('reports a host name without an IP address, such as a name under .invalid, as unresolvable_host', async () => {
    assert.equal(await refusal('absent.example.com:27015'), 'unresolvable_host');
    assert.equal(await refusal('game.invalid:27015'), 'unresolvable_host');
  });

  it('reports a new server as insert_quota after GSQ_MAX_SERVERS is reached, but still answers for the tracked servers', async () => {
    const small = await startInProcess({ GSQ_MAX_SERVERS: '2' });
    try {
      const [two, three] = ['127.0.0.1:27202', '127.0.0.1:27203'];
      const group = { game_id: 'csgo', servers: ['127.0.0.1:27201', two, three] };
      for (const inserted of [2, 0]) {
        const answer = await postFetch(small.http, [group]);
        const meta = metaIn(answer);
        assert.equal(meta.auto_inserted, inserted);
        assert.deepEqual(
          meta.invalid_servers.map(({ server, reason }) => [server, reason]),
          [[three, 'insert_quota']],
        );
        assert.equal(serverIn(answer, two)._updater.status, 'pending');
        assert.deepEqual(serverIn(answer, three)._updater, invalidUpdater);
      }
    } finally {
      await small.stop();
    }
  });

  it('reports loopback addresses as blocked_address if GSQ_ALLOW_TARGETS is empty', async () => {
    const strict = await startInProcess({ GSQ_ALLOW_TARGETS: '' });
    try {
      for (const address of ['127.0.0.1:27015', 'localhost:27015', '[::ffff:127.0.0.1]:27015']) {
        const answer = await postFetch(strict.http, [{ game_id: 'csgo', servers: [address] }]);
        assert.equal(serverIn(answer, address)._updater.status, 'invalid');
        assert.equal(metaIn(answer).invalid_servers[0]?.reason, 'blocked_address');
      }
    } finally {
      await strict.stop();
    }
  });

  it('contains no key such as status, online, players or name, which callers could mistake for server data', async () => {
    const { text } = await postFetch(service.http, [
      { game_id: 'csgo', servers: ['nonsense', '10.0.0.1:27015', 'game.invalid:27015'] },
      { game_id: 'x', servers: ['y:1'] },
    ]);
    const meta = text.slice(text.lastIndexOf('"_meta":'));
    assert.doesNotMatch(meta, /"(status|online|players|numplayers|name|ip|host|address|port)":/);
  });
});
