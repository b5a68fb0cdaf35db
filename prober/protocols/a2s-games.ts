// Games whose A2S_INFO holds constants of their engine, so that their rules hold the true values. Names of
// the rules: protocols/valve.js of https://github.com/gamedig/node-gamedig,
// src/GameQ/Protocols/{Batt1944,Dow,Zomboid}.php of https://github.com/Austinb/GameQ, `UpdateServerListInfo`
// in https://github.com/FakeFishGames/Barotrauma, and squad-server/index.js of
// https://github.com/Team-Silver-Sphere/SquadJS

import { a2sWithRules } from './a2s.ts';
import { countRule, textRule, withVersion } from './a2s-rules.ts';
import type { Protocol } from './protocol.ts';

/** Battalion 1944. Its A2S_INFO holds a Steam id as the name, no players, and the engine's version. */
export const battalion1944: Protocol = a2sWithRules({
  essential: true,
  // The map stays as A2S_INFO tells it, because the rule lags behind.
  amend: (status, rules) => ({
    ...withVersion(status, undefined),
    name: textRule(rules, 'bat_name_s'),
    players: countRule(rules, 'bat_player_count_s'),
    maxplayers: countRule(rules, 'bat_max_players_i'),
    password: rules.get('bat_has_password_s') === 'Y',
  }),
});

/** Days of War. Its A2S_INFO holds a Steam id as the name, no map, no players, and the engine's version. */
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

/** Barotrauma. Its A2S_INFO counts only players whom Steam let in, and holds the engine's version. */
export const barotrauma: Protocol = a2sWithRules({
  essential: true,
  amend: (status, rules) => ({
    ...withVersion(status, rules.get('version')),
    players: countRule(rules, 'playercount'),
  }),
});

/**
 * Squad, which answers A2S up to version 6. Its A2S_INFO counts players who left long ago, and does not tell
 * whether there is a password.
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

/** Project Zomboid. Its A2S_INFO holds the engine's version. */
export const projectzomboid: Protocol = a2sWithRules({
  essential: false,
  amend: (status, rules) => withVersion(status, rules.get('version')),
});

/** Soulmask. Its A2S_INFO holds the engine's version. */
export const soulmask: Protocol = a2sWithRules({
  essential: false,
  amend: (status, rules) => withVersion(status, rules.get('no_s')),
});
