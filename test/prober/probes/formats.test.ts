/** Tests complete probes against fake servers on loopback, for games whose probes need several modules. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ProbeTarget } from '../../../prober/probes/probe-target.ts';
import { Probes } from '../../../prober/probes/probes.ts';
import { Fleet } from '../../fleet/fleet.ts';
import { fleetServer } from '../../fleet/fleet-server.ts';
import type { FleetServer } from '../../fleet/responder.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { fastClock } from '../clock.ts';
import { payloadOf } from './payload-of.ts';

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function probes(clock = fastClock()) {
  const prober = await Probes.open({
    warn: () => {},
    receiveBuffer: 64 * 1024,
    wheel: clock.wheel,
    // No DNS server listens at 127.0.0.1:9, so the tests cannot contact the public server lists of games.
    directories: { userAgent: 'gsq', optIn: [], dnsServers: ['127.0.0.1:9'] },
  });
  cleanups.push(() => prober.close(), clock.stop);
  return prober;
}

/** Starts a fake server of a protocol on loopback, with two players. */
async function server(protocol: string): Promise<FleetServer> {
  const player = { name: 'Ann', score: 3, time: 10 };
  const made = { ...fleetServer(randomNumbers(7), 0), players: [player, { ...player, name: 'Bob' }] };
  const fleet = await Fleet.open([{ protocol, address: '127.0.0.1', server: made }]);
  cleanups.push(() => fleet.close());
  return made;
}

const target = (protocol: string, ports: number[], more: Partial<ProbeTarget> = {}): ProbeTarget => ({
  address: '127.0.0.1',
  host: '127.0.0.1',
  ports,
  joinPort: 27015,
  protocol,
  gamedigId: protocol,
  own: true,
  confirm: false,
  ...more,
});

test('if a game version is only in the A2S rules (server settings), the first probe reads it from the rules, and later probes reuse it', async () => {
  const prober = await probes();
  const { port, version } = await server('projectzomboid');
  const first = payloadOf(await prober.probe(target('projectzomboid', [port])));
  assert.deepEqual([first.version, first.players, first.playerList.length], [version, 2, 0]);
  const second = payloadOf(await prober.probe(target('projectzomboid', [port])));
  assert.deepEqual([second.version, second.players, second.playerList.length], [version, 2, 2]);
});

test('gsq looks up a Squad server in the online server list if its query port equals its join port', async () => {
  const prober = await probes(fastClock(1));
  const { port, name } = await server('squad');
  const payload = payloadOf(await prober.probe(target('squad', [port], { joinPort: port - 1 })));
  assert.deepEqual([payload.name, payload.players], [name, 2]);
  const looked = await prober.probe(target('squad', [port], { joinPort: port }));
  assert.equal(looked.outcome, 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE');
});

for (const protocol of ['battalion1944', 'barotrauma', 'daysofwar', 'eco', 'kspdmp', 'teamspeak2']) {
  test(`${protocol}: a probe reports the name, the player count and the maximum number of players`, async () => {
    const made = await server(protocol);
    const found = target(protocol, [made.port], { joinPort: made.port });
    const { name, players, maxplayers } = payloadOf(await (await probes()).probe(found));
    assert.deepEqual([name, players, maxplayers], [made.name, 2, made.maxplayers]);
  });
}
