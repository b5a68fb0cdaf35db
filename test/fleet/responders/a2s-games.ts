import type { FleetServer, Responder } from '../responder.ts';
import { a2sServer } from './a2s.ts';

/** Values that Unreal Engine puts into A2S_INFO if the game does not set them. */
const UNREAL = { name: '90113301119333382', players: [], version: '1.0.0.0' };
const STEAM_VERSION = { version: '1.0.0.0' };

export const battalion1944: Responder = a2sServer(
  () => ({ ...UNREAL, maxplayers: 100, password: false }),
  ({ name, map, maxplayers, password, players }) => ({
    OWNINGID: UNREAL.name,
    bat_gamemode_s: 'BOMB',
    bat_has_password_s: password ? 'Y' : 'N',
    bat_map_s: `${map} of the last round`,
    bat_max_players_i: maxplayers,
    bat_name_s: name,
    bat_player_count_s: players.length,
  }),
);

export const daysofwar: Responder = a2sServer(
  () => ({ ...UNREAL, map: '', maxplayers: 32 }),
  ({ name, map, maxplayers, version, players }) => ({
    G_s: 'Domination',
    MPN_s: map,
    N_i: players.length,
    ONM_s: name,
    P_i: maxplayers,
    V_s: version,
  }),
);

/**
 * Fake Barotrauma server. Its A2S_INFO reply reports 0 players, because the reply counts only players that Steam has
 * authenticated. The A2S_RULES reply contains the real player count.
 */
export const barotrauma: Responder = a2sServer(
  () => ({ ...STEAM_VERSION, players: [] }),
  ({ version, players, password }) => ({
    haspassword: password ? 'True' : 'False',
    version,
    playercount: players.length,
    gamestarted: 'False',
  }),
);

/**
 * Fake Squad server. Its A2S_INFO reply counts players who left long ago as if they were still playing. Its A2S_RULES
 * reply contains the real player count.
 */
export const squad: Responder = a2sServer(
  ({ players }) => ({ players: [...players, ...players, ...ghosts()], password: false }),
  ({ players, version, password }) => ({
    GameVersion_s: version,
    PlayerCount_i: players.length,
    PlayerReserveCount_i: 4,
    Password_b: String(password),
  }),
);

function ghosts(): FleetServer['players'] {
  return Array.from({ length: 27 }, () => ({ name: '', score: 0, time: 140_000 }));
}

export const projectzomboid: Responder = a2sServer(
  () => STEAM_VERSION,
  ({ version }) => ({ description: '', modCount: 0, open: 1, public: 1, pvp: 1, version }),
);

export const soulmask: Responder = a2sServer(
  () => STEAM_VERSION,
  ({ version }) => ({ CGM_i: 0, NO_s: version, P2PPORT: 9999, pvp_i: 0 }),
);
