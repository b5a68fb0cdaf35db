/** The protocol of a fake server in the demo fleet. catalog.json uses the same protocol names. */
export type FleetProtocol = 'a2s' | 'quake3' | 'minecraft' | 'bedrock';

/** The description of a fake server to start. */
export interface ServerPlan {
  gameId: string;
  protocol: FleetProtocol;
  name: string;
  map: string;
  version: string;
  maxplayers: number;
  players: number;
  /** Port at which the fake server listens if the port is free. 0 means any free port. */
  port: number;
  /** `full`: the fake server is always full. `failing`: the fake server stops answering now and then. */
  mood?: 'full' | 'failing';
}

/** Server name with markup, reversed text, letters of many scripts and an emoji. Real servers can have such names. */
const HOSTILE_NAME = 'Demo | <b>"Mixed"</b> & \u202eesrever\u202c 日本語 العربية 🎮';

/**
 * The servers of `npm start -- --demo`. Their ports are near the default ports of the games, but not equal to them,
 * because other programs can use the default ports.
 */
export const demoPlan: readonly ServerPlan[] = [
  plan('counterstrike2', 'a2s', 'Demo | Dust all day', 'de_dust2', '1.41.1.5', 20, 14, 27515),
  plan('teamfortress2', 'a2s', 'Demo | Payload, no crits', 'pl_upward', '9543365', 24, 9, 27516),
  plan('garrysmod', 'a2s', 'Demo | Sandbox', 'gm_construct', '2025.03.26', 32, 3, 27517),
  plan('css', 'a2s', 'Demo | Office hours', 'cs_office', '6630498', 16, 0, 27518),
  plan('q3a', 'quake3', 'Demo | The longest yard', 'q3dm17', 'Q3 1.32c linux-x86_64', 16, 6, 27860),
  plan('openarena', 'quake3', 'Demo | Aggressor', 'oa_dm1', 'ioq3+oa 1.36 linux-x86_64', 12, 2, 27861),
  plan('urbanterror', 'quake3', 'Demo | Abbey', 'ut4_abbey', 'ioq3 1.35urt linux-x86_64', 18, 11, 27862),
  plan('minecraft', 'minecraft', 'Demo | Survival', 'world', '1.21.10', 100, 37, 25665),
  plan('minecraft', 'minecraft', 'Demo | Creative', 'world', '1.20.4', 20, 1, 25666),
  plan('minecraft', 'minecraft', 'Demo | Skyblock', 'world', '1.21.10', 60, 22, 25667),
  plan('mbe', 'bedrock', 'Demo | Bedrock survival', 'Bedrock level', '1.21.111', 30, 8, 19232),
  plan('mbe', 'bedrock', 'Demo | Bedrock parkour', 'Parkour', '1.21.111', 10, 4, 19233),
  {
    ...plan('counterstrike2', 'a2s', 'Demo | Always full', 'de_mirage', '1.41.1.5', 10, 10, 27519),
    mood: 'full',
  },
  {
    ...plan('css', 'a2s', 'Demo | Fails now and then', 'de_nuke', '6630498', 24, 12, 27520),
    mood: 'failing',
  },
  plan('garrysmod', 'a2s', HOSTILE_NAME, '<b>gm_flatgrass</b>', '2025.03.26', 32, 5, 27521),
];

function plan(
  gameId: string,
  protocol: FleetProtocol,
  name: string,
  map: string,
  version: string,
  maxplayers: number,
  players: number,
  port: number,
): ServerPlan {
  return { gameId, protocol, name, map, version, maxplayers, players, port };
}
