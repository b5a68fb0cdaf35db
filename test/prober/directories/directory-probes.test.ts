import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after, before, describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { TargetPolicy } from '../../../net/targets.ts';
import { userAgent } from '../../../prober/directories/user-agent.ts';
import { registerProbeMetrics } from '../../../prober/metrics.ts';
import type { ProbeTarget } from '../../../prober/probes/probe-target.ts';
import { Probes } from '../../../prober/probes/probes.ts';
import { packageVersion } from '../../../runtime/version.ts';
import { NameServer } from '../../system/name-server.ts';
import { sourceInfo } from '../protocols/bytes.ts';
import { type Answering, directoryHosts, FakeDirectories, status } from './fake-directories.ts';
import { PORT, questionAbout } from './game-of-directory.ts';
import { game } from './games.ts';

const INSIDE = new TargetPolicy(['127.0.0.0/8']);

async function udpServer(t: TestContext, answer: (socket: Socket, from: RemoteInfo) => void) {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (_, from) => answer(socket, from));
  return socket;
}

describe('probes through a directory (online server list)', () => {
  let fake: FakeDirectories;
  let dns: NameServer;
  let probes: Probes;
  const warnings: string[] = [];

  before(async () => {
    fake = await FakeDirectories.start();
    dns = await NameServer.start(
      Object.fromEntries(directoryHosts.map(name => [name, { a: ['127.0.0.1'] }])),
    );
    probes = await Probes.open({
      warn: message => warnings.push(message),
      receiveBuffer: 64 * 1024,
      directories: {
        userAgent: userAgent('admin@example.net'),
        dnsServers: [dns.address],
        origins: fake.origins,
        ca: fake.ca,
      },
    });
  });
  after(async () => {
    await probes.close();
    dns.stop();
    fake.stop();
  });

  function targetOf(protocol: string, more: Partial<ProbeTarget> = {}): ProbeTarget {
    const { host, address, secret, options } = questionAbout(game(protocol));
    const named = { host, address, ports: [PORT], joinPort: PORT, protocol, gamedigId: protocol };
    return { ...named, confirm: false, secret, options, policy: INSIDE, ...more };
  }

  test('a probe looks up the server in its directory, and sends no packet to the server', async () => {
    fake.answering.set('servers.minetest.net', game('minetest').answers(1));
    const result = await probes.probe(targetOf('minetest'));
    assert.ok(result.outcome === 'PROBE_OUTCOME_ONLINE', JSON.stringify(result));
    assert.deepEqual([result.payload.name, result.payload.players, result.queryPort], ['First', 1, 0]);
    assert.deepEqual(result.payload.playerList, [{ name: 'Ann', score: 0, time: 0 }]);
    assert.deepEqual([result.signals.packetsSent, probes.packetsSent], [0, 0]);
    assert.equal(fake.seen.at(-1)?.headers['user-agent'], `gsq/${packageVersion()} (admin@example.net)`);
  });

  test('the request of a look-up contains the secret and the options that the operator set for the server', async () => {
    fake.answering.set('api.scpslgame.com', game('scpsl').answers(1));
    const target = targetOf('scpsl', { secret: 'the key' });
    assert.equal((await probes.probe(target)).outcome, 'PROBE_OUTCOME_ONLINE');
    const asked = new URL(fake.seen.at(-1)?.path ?? '', 'https://any.example').searchParams;
    assert.deepEqual([asked.get('id'), asked.get('key')], ['1000', 'the key']);
  });

  test('a probe that waits for a look-up does not count towards the maximum number of active probes', async t => {
    const mute = await udpServer(t, () => {});
    const online = await udpServer(t, (socket, { port, address }) =>
      socket.send(sourceInfo({ name: 'Beside' }), port, address),
    );
    const waiting: [Parameters<Answering>, Answering][] = [];
    const whole = game('squad').answers(1);
    fake.answering.set('api.epicgames.dev', (...asked) => void waiting.push([asked, whole]));
    const here = { host: '127.0.0.1', address: '127.0.0.1', timeoutMs: 50 };
    const ports = [mute.address().port, PORT];
    const lookedUp = [
      probes.probe(targetOf('squad', { ...here, ports })),
      probes.probe(targetOf('squad', { ...here, ports: [PORT + 1], joinPort: PORT + 1 })),
    ];
    while (waiting.length === 0) await fake.arrival();
    // Two probes of this address wait for a public server list. The limit is two active probes of an address, but
    // waiting probes do not count. So a third probe of the address can start.
    const beside = { ...here, ports: [online.address().port], timeoutMs: 2000, urgent: true };
    const found = await probes.probe(targetOf('minetest', { ...beside, protocol: 'a2s' }));
    assert.ok(found.outcome === 'PROBE_OUTCOME_ONLINE', JSON.stringify(found));
    assert.equal(found.payload.name, 'Beside');
    fake.answering.set('api.epicgames.dev', whole);
    for (const [asked, answering] of waiting) answering(...asked);
    const [first, second] = await Promise.all(lookedUp);
    assert.ok(first?.outcome === 'PROBE_OUTCOME_ONLINE', JSON.stringify(first));
    assert.deepEqual([first.payload.name, first.queryPort], ['First', PORT]);
    assert.deepEqual([first.signals.packetsSent, first.signals.packetsLost], [1, 1]);
    assert.equal(second?.outcome, 'PROBE_OUTCOME_NOT_LISTED');
    assert.equal(second?.signals.packetsSent, 0);
  });

  test('a probe reports the reason of a failed look-up, and how long to wait before a retry', async () => {
    fake.answering.set('cdn.rage.mp', status(503, { 'retry-after': '90' }));
    const { signals: _, ...busy } = await probes.probe(targetOf('ragemp'));
    assert.ok('retryAfterMs' in busy && busy.retryAfterMs);
    assert.ok(busy.retryAfterMs > 60_000 && busy.retryAfterMs <= 90_000);
    assert.equal(busy.outcome, 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE');
    const outcomes = [];
    for (const target of [
      targetOf('discord', { options: new Map() }),
      targetOf('scpsl', { secret: '' }),
      targetOf('vintagestory'),
      targetOf('minetest', { address: '192.0.2.1', host: '192.0.2.1' }),
    ]) {
      outcomes.push((await probes.probe(target)).outcome);
    }
    assert.deepEqual(outcomes, [
      'PROBE_OUTCOME_NEEDS_OPTION',
      'PROBE_OUTCOME_NEEDS_CREDENTIALS',
      'PROBE_OUTCOME_DIRECTORY_REFUSED',
      'PROBE_OUTCOME_NOT_LISTED',
    ]);
  });

  test('the prober does not connect to a directory whose host name resolves to a forbidden address', async () => {
    fake.answering.set('api.alt-mp.com', game('altvmp').answers(1));
    const before = fake.seen.length;
    const result = await probes.probe(targetOf('altvmp', { policy: new TargetPolicy([]) }));
    assert.equal(result.outcome, 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE');
    assert.match('detail' in result ? result.detail : '', /it has no address that may be connected to/);
    assert.equal(fake.seen.length, before);
  });

  test('the prober stops reading a directory reply above the size limit, and the next look-up works', async () => {
    const packed = gzipSync(`[0${',{}'.repeat(11 * 1024 * 1024)}]`);
    fake.answering.set('serverlist-rx.totemarts.services', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    );
    const swollen = await probes.probe(targetOf('renegadex'));
    assert.equal(swollen.outcome, 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE');
    assert.match('detail' in swollen ? swollen.detail : '', /sends more than 6291456 bytes$/);
    assert.equal((await probes.probe(targetOf('minetest'))).outcome, 'PROBE_OUTCOME_ONLINE');
  });

  test('a directory that refuses requests is reported to the operator by a warning and by metrics', async () => {
    fake.answering.set('backend.beammp.com', status(403));
    assert.equal((await probes.probe(targetOf('beammp'))).outcome, 'PROBE_OUTCOME_DIRECTORY_REFUSED');
    const [warning, ...others] = warnings;
    assert.match(
      warning ?? '',
      /^the directory beammp is paused for 24 h: backend\.beammp\.com:\d+ refuses us: HTTP 403$/,
    );
    assert.deepEqual(others, []);
    const registry = new Registry();
    registerProbeMetrics(registry, probes);
    const text = await registry.metrics();
    assert.match(
      text,
      /^gsq_directory_requests_total\{directory="beammp",host="backend\.beammp\.com:\d+",result="refused"\} 1$/m,
    );
    const [, seconds] =
      /^gsq_directory_paused_seconds\{directory="beammp",reason="refused"\} ([\d.]+)$/m.exec(text) ?? [];
    assert.ok(Number(seconds) > 86_000 && Number(seconds) <= 86_400, text);
    assert.match(text, /^gsq_directory_paused_seconds\{directory="ragemp",reason="unavailable"\} [1-9]/m);
    assert.match(text, /^gsq_directory_paused_seconds\{directory="eos",reason="refused"\} 0$/m);
  });
});
