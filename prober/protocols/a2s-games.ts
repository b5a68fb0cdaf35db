// Games whose A2S_INFO reply contains wrong values. gsq reads the right values from the A2S_RULES reply. Sources of the
// rule names: protocols/valve.js of https://github.com/gamedig/node-gamedig,
// src/GameQ/Protocols/{Batt1944,Dow,Zomboid}.php of https://github.com/Austinb/GameQ, `UpdateServerListInfo` in
// https://github.com/FakeFishGames/Barotrauma, and squad-server/index.js of
// https://github.com/Team-Silver-Sphere/SquadJS

import { a2sWithRules } from './a2s.ts';
import { countRule, textRule, withVersion } from './a2s-rules.ts';
import type { Protocol } from './protocol.ts';

/**
 * The protocol of Battalion 1944. Its A2S_INFO reply has a Steam id as the name, no player counts, and the version of
 * the engine. gsq reads name, counts and password flag from the rules (A2S_RULES).
 */
export const battalion1944: Protocol = a2sWithRules({
  essential: true,
  // The map is not read from the rules (A2S_RULES), because servers still send the old map there for some time after a
  // change of the map. So the status keeps the map of the A2S_INFO reply.
  amend: (status, rules) => ({
    ...withVersion(status, undefined),
    name: textRule(rules, 'bat_name_s'),
    players: countRule(rules, 'bat_player_count_s'),
    maxplayers: countRule(rules, 'bat_max_players_i'),
    password: rules.get('bat_has_password_s') === 'Y',
  }),
});

/**
 * The protocol of Days of War. Its A2S_INFO reply has a Steam id as the name, no map, no player counts, and the version
 * of the engine. gsq reads these values from the rules (A2S_RULES).
 */
export const daysofwar: Protocol = a2sWithRules({
  essential: true,
  amend: (status, rules) => ({
    ...withVersion(status, rules.get('v_s')),
    name: textRule(rules, 'onm_s'),
    map: textRule(rules, 'mpn_s'),
    players: countRule(rules, 'n_i'),
    maxplayers: countRule(rules, 'p_i'),
  }),
});

/**
 * The protocol of Barotrauma. Its A2S_INFO reply counts only players that Steam has authenticated, and contains the
 * version of the game engine. gsq reads the player count and the version of the game from the rules (A2S_RULES).
 */
export const barotrauma: Protocol = a2sWithRules({
  essential: true,
  amend: (status, rules) => ({
    ...withVersion(status, rules.get('version')),
    players: countRule(rules, 'playercount'),
  }),
});

/**
 * The protocol of Squad, up to version 6 of the game. Its A2S_INFO reply counts players who left long ago, and does not
 * tell whether players need a password. gsq reads both values from the rules (A2S_RULES).
 */
export const squad: Protocol = {
  ...a2sWithRules({
    essential: true,
    amend: (status, rules) => ({
      ...status,
      players: countRule(rules, 'playercount_i'),
      password: status.password || rules.get('password_b') === 'true',
    }),
  }),
  directory: true,
};

/**
 * The protocol of Project Zomboid. Its A2S_INFO reply contains the version of the game engine. gsq reads the version of
 * the game from the rules (A2S_RULES).
 */
export const projectzomboid: Protocol = a2sWithRules({
  essential: false,
  amend: (status, rules) => withVersion(status, rules.get('version')),
});

/**
 * The protocol of Soulmask. Its A2S_INFO reply contains the version of the game engine. gsq reads the version of the
 * game from the rules (A2S_RULES).
 */
export const soulmask: Protocol = a2sWithRules({
  essential: false,
  amend: (status, rules) => withVersion(status, rules.get('no_s')),
});
