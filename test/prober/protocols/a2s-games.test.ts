import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  barotrauma,
  battalion1944,
  daysofwar,
  projectzomboid,
  soulmask,
  squad,
} from '../../../prober/protocols/a2s-games.ts';
import type { DatagramExchange, Protocol } from '../../../prober/protocols/protocol.ts';
import { ANN, CHALLENGE, hex, INFO } from './a2s-exchange.ts';
import { bytes, challengeReply, cstring, MESSAGE, playerReply, sourceInfo, split, u16 } from './bytes.ts';
import { CONTEXT, openDatagrams, packetsOf, statusOf } from './exchange.ts';

const RULES = 'ffffffff56';
/**
 * A2S_INFO fields as Battalion 1944 sends them: the name is a Steam id, the player count is 0, and the version is the
 * version of the engine.
 */
const UNREAL = { name: '90113301119333382', map: 'Coastal', players: 0, maxplayers: 100, version: '1.0.0.0' };

/** Builds the reply to an A2S_RULES query, which contains the settings (rules) of a server. */
function rulesReply(rules: Record<string, string>): Buffer {
  const entries = Object.entries(rules);
  return bytes(MESSAGE, 'E', u16(entries.length), ...entries.flat().map(cstring));
}

/** Returns an unfinished A2S query: it has received the server info, and has requested the server rules. */
function informed(protocol: Protocol, info: Buffer): DatagramExchange {
  const exchange = openDatagrams(protocol);
  exchange.request();
  assert.deepEqual(hex(packetsOf(exchange.receive(info))), [`${RULES}ffffffff`]);
  return exchange;
}

function openKnowing(protocol: Protocol, knownVersion: string): DatagramExchange {
  assert.ok(protocol.transport === 'udp');
  const exchange = protocol.open({ ...CONTEXT, knownVersion });
  exchange.request();
  return exchange;
}

describe('Battalion 1944', () => {
  const rules = {
    OWNINGNAME: '90113301119333382',
    bat_has_password_s: 'Y',
    bat_map_s: 'Derailed',
    bat_max_players_i: '10',
    bat_name_s: '[AU] Bolt snipers',
    bat_player_count_s: '11',
  };

  test('the status contains name, player counts and password flag from the A2S rules (settings), and no version', () => {
    const exchange = informed(battalion1944, sourceInfo(UNREAL));
    assert.equal(exchange.partial(), undefined);
    assert.deepEqual(statusOf(exchange.receive(rulesReply(rules))), {
      name: '[AU] Bolt snipers',
      map: 'Coastal',
      players: 11,
      maxplayers: 10,
      numbots: 0,
      password: true,
    });
  });

  test('rejects the A2S rules (settings) if a required rule is missing or invalid, or if the reply is truncated', () => {
    const { bat_name_s: _, ...nameless } = rules;
    const whole = rulesReply(rules);
    for (const reply of [
      rulesReply(nameless),
      rulesReply({ ...rules, bat_player_count_s: 'eleven' }),
      rulesReply({ ...rules, bat_max_players_i: '' }),
      bytes(whole, 0),
      Buffer.from('junk'),
    ]) {
      const exchange = informed(battalion1944, sourceInfo({ ...UNREAL, players: 5 }));
      assert.equal(exchange.receive(reply).kind, 'malformed');
    }
    for (let length = 5; length < whole.length; length++) {
      const exchange = informed(battalion1944, sourceInfo(UNREAL));
      assert.equal(exchange.receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
    }
  });

  test('reads A2S rules (settings) that are split into packets, and ignores unrequested replies', () => {
    const exchange = informed(battalion1944, sourceInfo({ ...UNREAL, players: 1 }));
    assert.equal(exchange.receive(playerReply([ANN])).kind, 'more');
    assert.equal(exchange.receive(sourceInfo(UNREAL)).kind, 'more');
    const parts = split(rulesReply(rules), 60, 'source').map(part => exchange.receive(part));
    const last = parts.pop();
    assert.ok(last && parts.every(step => step.kind === 'more'));
    assert.equal(statusOf(last).players, 11);
    const early = openDatagrams(battalion1944);
    early.request();
    assert.equal(early.receive(rulesReply(rules)).kind, 'more');
  });

  test('sends at most three packets, even if the server demands challenges', () => {
    const exchange = openDatagrams(battalion1944);
    assert.deepEqual(hex(exchange.request()), [INFO]);
    assert.deepEqual(hex(packetsOf(exchange.receive(challengeReply(CHALLENGE)))), [`${INFO}0a0b0c0d`]);
    assert.deepEqual(hex(packetsOf(exchange.receive(sourceInfo(UNREAL)))), [`${RULES}0a0b0c0d`]);
    assert.equal(exchange.receive(challengeReply(CHALLENGE)).kind, 'malformed');

    const late = informed(battalion1944, sourceInfo(UNREAL));
    assert.deepEqual(hex(packetsOf(late.receive(challengeReply(CHALLENGE)))), [`${RULES}0a0b0c0d`]);
    assert.equal(statusOf(late.receive(rulesReply(rules))).name, '[AU] Bolt snipers');

    const choosy = openDatagrams(battalion1944);
    choosy.request();
    choosy.receive(challengeReply(CHALLENGE));
    choosy.receive(challengeReply(CHALLENGE));
    assert.equal(choosy.receive(sourceInfo(UNREAL)).kind, 'malformed');
  });
});

test('Days of War: reads name, map, player count, maximum number of players and version from the A2S rules (server settings)', () => {
  const exchange = informed(daysofwar, sourceInfo({ ...UNREAL, map: '' }));
  const rules = { MPN_s: 'dow_carentan', N_i: '5', ONM_s: 'Driven Arts', P_i: '32', V_s: '1.0.3.3' };
  assert.deepEqual(statusOf(exchange.receive(rulesReply(rules))), {
    name: 'Driven Arts',
    map: 'dow_carentan',
    players: 5,
    maxplayers: 32,
    numbots: 0,
    password: false,
    version: '1.0.3.3',
  });
});

test('Barotrauma: reads the player count and the version from the A2S rules (server settings)', () => {
  const info = sourceInfo({ name: 'Europa', map: 'Azimuth', players: 0, maxplayers: 10, version: '1.0.0.0' });
  const rules = { version: '1.7.7.0', playercount: '6', haspassword: 'False' };
  const { name, players, version } = statusOf(informed(barotrauma, info).receive(rulesReply(rules)));
  assert.deepEqual([name, players, version], ['Europa', 6, '1.7.7.0']);
  const unversioned = statusOf(informed(barotrauma, info).receive(rulesReply({ playercount: '6' })));
  assert.equal(unversioned.version, undefined);
});

test('Squad: reads player count and password flag from the A2S rules (server settings), because A2S_INFO also counts players who have left', () => {
  const info = sourceInfo({ name: 'Legacy', players: 104, maxplayers: 80, version: 'a-8.9' });
  const rules = { PlayerCount_i: '77', PlayerReserveCount_i: '4', Password_b: 'true' };
  const status = statusOf(informed(squad, info).receive(rulesReply(rules)));
  const { players, maxplayers, password, version } = status;
  assert.deepEqual([players, maxplayers, password, version], [77, 80, true, 'a-8.9']);
});

for (const [name, protocol, rule] of [
  ['Project Zomboid', projectzomboid, 'version'],
  ['Soulmask', soulmask, 'NO_s'],
] as const) {
  describe(name, () => {
    const info = sourceInfo({ name: 'Knox', players: 1, version: '1.0.0.0' });

    test('gsq requests the A2S rules (server settings) instead of the player list if it does not know the server version yet', () => {
      const status = statusOf(informed(protocol, info).receive(rulesReply({ open: '1', [rule]: '41.78' })));
      assert.deepEqual([status.name, status.players, status.version], ['Knox', 1, '41.78']);
      assert.equal(status.playerList, undefined);
    });

    test('gsq requests the player list instead of the A2S rules (server settings) if it already knows the server version', () => {
      const exchange = openKnowing(protocol, '41.78');
      assert.deepEqual(hex(packetsOf(exchange.receive(info))), ['ffffffff55ffffffff']);
      const status = statusOf(exchange.receive(playerReply([ANN])));
      assert.deepEqual([status.version, status.playerList], ['41.78', [ANN]]);
      assert.equal(statusOf(openKnowing(protocol, '41.78').receive(sourceInfo())).version, '41.78');
    });

    test('gsq reports no version if the A2S rules (server settings) contain none, because A2S_INFO contains only the version of the game engine', () => {
      for (const reply of [rulesReply({ open: '1' }), rulesReply({ [rule]: '1' }).subarray(0, -1)]) {
        const status = statusOf(informed(protocol, info).receive(reply));
        assert.deepEqual([status.players, status.version], [1, undefined]);
      }
      assert.equal(informed(protocol, info).partial()?.version, undefined);
      assert.equal(statusOf(openKnowing(protocol, '').receive(sourceInfo())).version, undefined);
    });
  });
}
