// Games whose A2S_INFO holds constants of their engine, and whose rules hold the truth. The rules' names:
// protocols/valve.js of https://github.com/gamedig/node-gamedig, src/GameQ/Protocols/{Batt1944,Dow,Zomboid}.php of
// https://github.com/Austinb/GameQ, `UpdateServerListInfo` in https://github.com/FakeFishGames/Barotrauma, and
// squad-server/index.js of https://github.com/Team-Silver-Sphere/SquadJS

import { a2sWithRules } from './a2s.ts';
import { countRule, textRule, withVersion } from './a2s-rules.ts';
import type { Protocol } from './protocol.ts';

/** Battalion 1944: A2S_INFO has a Steam id as the name, no players, and a version of the engine's. */
export const battalion1944: Protocol = a2sWithRules({
  essential: true,
  // The map is left as it is: the rule lags behind it.
  amend: (status, rules) => ({
    ...withVersion(status, undefined),
    name: textRule(rules, 'bat_name_s'),
    players: countRule(rules, 'bat_player_count_s'),
    maxplayers: countRule(rules, 'bat_max_players_i'),
    password: rules.get('bat_has_password_s') === 'Y',
  }),
});

/** Days of War: A2S_INFO has a Steam id as the name, no map, no players, and a version of the engine's. */
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

/** Barotrauma: A2S_INFO counts only players whom Steam let in, and has a version of the engine's. */
export const barotrauma: Protocol = a2sWithRules({
  essential: true,
  amend: (status, rules) => ({
    ...withVersion(status, rules.get('version')),
    players: countRule(rules, 'playercount'),
  }),
});

/** Squad, which up to version 6 answers A2S: A2S_INFO counts players who left long ago, and knows no password. */
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

/** Project Zomboid, whose A2S_INFO has a version of the engine's. */
export const projectzomboid: Protocol = a2sWithRules({
  essential: false,
  amend: (status, rules) => withVersion(status, rules.get('version')),
});

/** Soulmask, whose A2S_INFO has a version of the engine's. */
export const soulmask: Protocol = a2sWithRules({
  essential: false,
  amend: (status, rules) => withVersion(status, rules.get('no_s')),
});
