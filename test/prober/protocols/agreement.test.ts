import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawPlayer, RawStatus } from '../../../prober/answers/raw-status.ts';
import { protocols } from '../../../prober/protocols/registry.ts';
import { fleetServer } from '../../fleet/fleet-server.ts';
import type { FleetServer } from '../../fleet/responder.ts';
import { responders } from '../../fleet/responders.ts';
import { converse } from '../../fuzz/conversation.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const PORT = 27_015;
const SERVERS = 100;
/** Protocols whose replies contain neither the name nor the map of the server. */
const NAMELESS = new Set(['bzflag', 'mumbleping', 'necesse']);

/** Protocols that report the playing time of players in whole minutes. */
const IN_MINUTES = new Set(['quake1', 'hexen2', 'zandronum']);

/** Protocols that report a build number as the version. */
const IN_BUILDS = new Set(['mindustry']);

/**
 * Returns the status that gsq must read from a fake server with this protocol. Leaves out properties that the protocol
 * does not report.
 */
function asTold(protocol: string, server: FleetServer, told: RawStatus): RawStatus {
  const { name, map, password, maxplayers, players } = server;
  const minutes = IN_MINUTES.has(protocol);
  const version = IN_BUILDS.has(protocol) ? server.version.replaceAll('.', '') : server.version;
  const listed = players.map((player, i): RawPlayer => {
    const { score, time } = told.playerList?.[i] ?? {};
    return {
      name: player.name,
      ...(score !== undefined && { score: player.score }),
      ...(time !== undefined && { time: minutes ? player.time - (player.time % 60) : player.time }),
    };
  });
  return {
    name: told.name === '' ? '' : name,
    ...(told.map !== undefined && { map: told.map === '' ? '' : map }),
    ...(told.password !== undefined && { password }),
    ...(told.version !== undefined && { version }),
    maxplayers,
    players: players.length,
    ...(told.playerList && { playerList: listed }),
  };
}

for (const [name, protocol] of protocols) {
  test(`protocol ${name}: gsq reads all server properties correctly from the replies of a fake server`, () => {
    const responder = responders.get(name);
    assert.ok(responder);
    const random = randomNumbers(4);
    for (let i = 0; i < SERVERS; i++) {
      const server = fleetServer(random, PORT);
      const { end, packetsSent } = converse(protocol, responder, server, {
        host: 'play.example',
        address: '192.0.2.1',
        port: PORT,
        joinPort: PORT,
        nonce: BigInt(random(2 ** 31)) << 31n,
      });
      assert.equal(end?.kind, 'done', JSON.stringify({ end, server }));
      if (end?.kind !== 'done') continue;
      assert.ok(packetsSent > 0);
      const { connectPort: _, numbots: __, ...told } = end.status;
      assert.deepEqual(told, asTold(name, server, told), JSON.stringify(server));
      assert.equal(told.name === '', NAMELESS.has(name));
    }
  });
}
