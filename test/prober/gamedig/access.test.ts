import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, test } from 'node:test';
import { TargetPolicy } from '../../../net/targets.ts';
import { gamedigAccess } from '../../../prober/gamedig/access.ts';
import type { ProbeTarget } from '../../../prober/probes/probe-target.ts';
import { Probes } from '../../../prober/probes/probes.ts';
import { farmingSimulator, GameApi, palworld, tshock } from '../../system/game-apis.ts';

const SECRET = "it's a secret/of+this test?&=ü";
const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const probes = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024 });
cleanups.push(() => probes.close());

async function api(listener: RequestListener): Promise<GameApi> {
  const started = await GameApi.start(listener);
  cleanups.push(() => started.stop());
  return started;
}

function ask(server: GameApi, protocol: string, gamedigId: string, more: Partial<ProbeTarget> = {}) {
  return probes.probe({
    address: '127.0.0.1',
    own: true,
    policy: new TargetPolicy(['127.0.0.0/8']),
    host: '127.0.0.1',
    ports: [server.port],
    joinPort: server.port,
    protocol,
    gamedigId,
    confirm: false,
    ...more,
  });
}

const games: [protocol: string, gamedigId: string, listener: RequestListener, name: string][] = [
  ['palworld', 'palworld', palworld(SECRET), 'Pal Island'],
  ['terraria', 'terrariatshock', tshock(SECRET), 'Hallow'],
  ['farmingsimulator', 'farmingsimulator25', farmingSimulator(SECRET), 'Elm Creek'],
];

for (const [protocol, gamedigId, listener, name] of games) {
  test(`${protocol}: a probe by gamedig finds a server online with the right secret, but not with a wrong secret`, async () => {
    const server = await api(listener);
    const right = await ask(server, protocol, gamedigId, { secret: SECRET });
    assert.ok(right.outcome === 'PROBE_OUTCOME_ONLINE', JSON.stringify(right));
    assert.deepEqual([right.payload.name, right.payload.players], [name, 1]);
    assert.ok(!JSON.stringify(right).includes(SECRET));
    const wrong = await ask(server, protocol, gamedigId, { secret: 'another' });
    assert.equal(wrong.outcome, 'PROBE_OUTCOME_NEEDS_CREDENTIALS', JSON.stringify(wrong));
  });
}

test('a server is not queried if its game requires a secret or an option and the value is missing', async () => {
  const server = await api((_, response) => response.end('{}'));
  const none = await ask(server, 'palworld', 'palworld');
  assert.equal(none.outcome, 'PROBE_OUTCOME_NEEDS_CREDENTIALS');
  assert.equal((await ask(server, 'discord', 'discord')).outcome, 'PROBE_OUTCOME_NEEDS_OPTION');
  assert.deepEqual([none.signals.packetsSent, server.requests], [0, []]);
});

test('a server whose secret is optional is queried without a secret, and the result can be `needs-credentials`', async () => {
  const server = await api(tshock(SECRET));
  const result = await ask(server, 'terraria', 'terrariatshock');
  assert.equal(result.outcome, 'PROBE_OUTCOME_NEEDS_CREDENTIALS', JSON.stringify(result));
  assert.equal(server.requests.length, 1);
  assert.ok(!server.requests[0]?.url.includes('token'));
});

test('a reported failure does not contain the secret of the server, although the error of gamedig contains it', async () => {
  const server = await api((_, response) => response.end('this is no JSON'));
  for (const secret of [SECRET, 'plain-secret-of-this-test', 'x'.repeat(150)]) {
    const result = await ask(server, 'terraria', 'terrariatshock', { secret });
    assert.ok(result.outcome === 'PROBE_OUTCOME_MALFORMED', JSON.stringify(result));
    assert.match(result.detail, /JSON.*server\/status/);
    for (const form of [secret, encodeURIComponent(secret), 'secret', 'xxx'])
      assert.ok(!result.detail.includes(form));
  }
});

test('gsq sends nothing to the server to which an HTTP redirect points', async () => {
  let release: () => void = () => {};
  const asked = new Promise<void>(resolve => {
    release = resolve;
  });
  // The server `leading` answers with a redirect to the server `other`. gsq allows connections to `other` only while a
  // query of `other` is running. Therefore the test first starts such a query, which runs until `release` is called.
  const other = await api((request, response) => {
    if (request.url === '/v1/api/info') asked.then(() => response.end('{}'));
    else response.end('{"servername":"other"}');
  });
  const leading = await api((_, response) =>
    response.writeHead(302, { location: `http://${other.address}/led` }).end(),
  );
  const waiting = ask(other, 'palworld', 'palworld', { secret: 'secret of the other' });
  while (other.requests.length === 0) await new Promise(setImmediate);
  const result = await ask(leading, 'palworld', 'palworld', { secret: SECRET });
  release();
  await waiting;
  assert.notEqual(result.outcome, 'PROBE_OUTCOME_ONLINE');
  assert.deepEqual(
    other.requests.filter(({ url }) => url === '/led'),
    [],
  );
});

test('gsq translates the options of a server to option names of gamedig, and ignores unknown options', () => {
  const options = new Map([
    ['username', 'ann'],
    ['verify_tls', 'yes'],
    ['host', '192.0.2.1'],
  ]);
  const given = (protocol: string) => gamedigAccess(protocol, { secret: 'x', options });
  assert.deepEqual(given('nadeo')?.options, { login: 'ann', password: 'x' });
  assert.deepEqual(given('palworld')?.options, { username: 'ann', password: 'x' });
  assert.deepEqual(given('satisfactory')?.options, { token: 'x', rejectUnauthorized: true });
  const none = { secret: '', options: new Map<string, string>() };
  assert.deepEqual(gamedigAccess('satisfactory', none)?.options, { rejectUnauthorized: false });
  assert.deepEqual(gamedigAccess('terraria', none)?.options, {});
  assert.equal(given('buildandshoot'), undefined);
});
