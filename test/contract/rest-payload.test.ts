import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { A2sServer, player } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { fetchOne, type RestServer } from './rest.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/**
 * Keys that the reported data of a server must not contain. A client could mistake `status` or `online` for the status
 * in `_updater`. It could mistake the other keys for the address that it requested.
 */
const FORBIDDEN = ['server', 'address', 'host', 'ip', 'ip_port', 'status', 'online'];

const UPDATER_KEYS = [
  'status',
  'firewall_interval_minutes',
  'firewall_label',
  'next_probe_at',
  'last_probe_at',
  'last_online_at',
];

describe('a server object in REST answers', () => {
  let stack: Stack;
  let game: A2sServer;
  before(async () => {
    [stack, game] = await Promise.all([
      Stack.start({ processes: ['core', 'gateway', 'prober'] }),
      A2sServer.start(),
    ]);
  });
  after(async () => {
    game.stop();
    await stack.stop();
  });

  const look = (address = game.address) => fetchOne(stack.http, 'csgo', address);
  const becomes = (status: string, address = game.address): Promise<RestServer> =>
    until(
      `${address} ${status}`,
      () => look(address),
      ({ _updater }) => _updater.status === status,
    );
  const data = ({ _updater, ...rest }: RestServer) => rest;

  it('has all fields of the API contract with the right types, and no other key', async () => {
    const { updated, _updater, ...rest } = await becomes('online');
    const { ping, ...payload } = rest as { ping: number } & Record<string, unknown>;
    assert.deepEqual(payload, {
      name: 'A server of the tests',
      map: 'de_dust2',
      players: 2,
      maxplayers: 16,
      numplayers: 2,
      numbots: 0,
      password: true,
      version: '1.38.8.1',
      connect: game.address,
      raw: {
        numbots: 0,
        players: [
          { name: 'Ann', score: 7, time: 61 },
          { name: '"Bob" \\', score: -2, time: 3600 },
        ],
      },
    });
    assert.ok(Number.isInteger(ping) && ping >= 0, String(ping));
    assert.match(String(updated), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  it('has the time of its last successful probe in `updated`, without milliseconds', async () => {
    const { updated, _updater } = await becomes('online');
    assert.equal(`${String(updated).replace(' ', 'T')}.`, String(_updater.last_online_at).slice(0, 20));
  });

  it('has six keys in `_updater` while online, and times in ISO 8601', async () => {
    const { _updater } = await becomes('online');
    assert.deepEqual(Object.keys(_updater), UPDATER_KEYS);
    assert.equal(_updater.firewall_interval_minutes, 1);
    assert.equal(_updater.firewall_label, 'none');
    for (const time of [_updater.next_probe_at, _updater.last_probe_at, _updater.last_online_at]) {
      assert.match(String(time), ISO);
    }
    assert.ok(Date.parse(_updater.next_probe_at ?? '') > Date.parse(_updater.last_probe_at ?? ''));
  });

  it('has none of the keys `server`, `address`, `host`, `ip`, `ip_port`, `status` and `online`', async () => {
    const server = await becomes('online');
    const { raw } = server as RestServer & { raw: Record<string, unknown> };
    for (const key of FORBIDDEN) {
      assert.ok(!Object.hasOwn(server, key), key);
      assert.ok(!Object.hasOwn(raw, key), `raw.${key}`);
    }
  });

  it('shows the stored status immediately, even while a probe waits for the reply of the server', async () => {
    const silent = await A2sServer.start({ manner: 'silent' });
    try {
      const first = await look(silent.address);
      assert.equal(first._updater.status, 'pending');
      // Waits until the silent server has received a probe. The probe then waits for a reply, and a fetch during this
      // time must be answered immediately.
      await until(
        'a question',
        () => silent.questions,
        questions => questions > 0,
      );
      assert.equal((await look(silent.address))._updater.status, 'pending');
    } finally {
      silent.stop();
    }
  });

  it('has the additional key `reason` in `_updater` while the server is not online', async () => {
    const server = await A2sServer.start();
    try {
      const pending = await look(server.address);
      assert.deepEqual(Object.keys(pending), ['message', '_updater']);
      assert.deepEqual(Object.keys(pending._updater), [...UPDATER_KEYS, 'reason']);
      assert.deepEqual([pending._updater.status, pending._updater.reason], ['pending', 'unprobed']);
      assert.deepEqual([pending._updater.last_probe_at, pending._updater.last_online_at], [null, null]);
      await becomes('online', server.address);
    } finally {
      server.stop();
    }
  });

  it('shows the new name and players after they changed on the game server', async () => {
    const server = await A2sServer.start();
    try {
      await becomes('online', server.address);
      server.players = [];
      server.name = 'Renamed\u0007 "now"';
      const changed = await until(
        'the new name',
        () => look(server.address),
        ({ name }) => name === 'Renamed "now"',
      );
      const { players, numplayers, raw } = data(changed) as Record<string, unknown>;
      assert.deepEqual([players, numplayers, raw], [0, 0, { numbots: 0, players: [] }]);
    } finally {
      server.stop();
    }
  });

  it('limits the player names in the field `raw` to 64 characters', async () => {
    const many = Array.from({ length: 10 }, (_, at) => player('x'.repeat(100), at, 1));
    const server = await A2sServer.start({ players: many });
    try {
      const { raw } = (await becomes('online', server.address)) as RestServer & {
        raw: { players: { name: string }[] };
      };
      assert.equal(raw.players.length, 10);
      for (const { name } of raw.players) assert.equal(name, 'x'.repeat(64));
    } finally {
      server.stop();
    }
  });
});
