import type { FleetServer } from './responder.ts';

const MAPS = ['de_dust2', 'q3dm17', 'ctf_turbine', 'island', 'oasis'];
const WORDS = ['Casual', 'Nightly', 'Competitive', 'Vanilla', 'Modded', 'Friendly', 'Hardcore', 'Relaxed'];

/** Returns a random game server with at most `maxPlayers` players. About half of such servers are empty. */
export function fleetServer(random: (below: number) => number, port: number, maxPlayers = 12): FleetServer {
  const word = () => WORDS[random(WORDS.length)] ?? '';
  const count = random(2) === 0 ? 0 : random(maxPlayers + 1);
  return {
    name: `${word()} ${word()} server ${random(100_000)}`,
    map: MAPS[random(MAPS.length)] ?? '',
    maxplayers: maxPlayers + random(20),
    password: random(4) === 0,
    version: `1.${random(40)}.${random(10)}`,
    players: Array.from({ length: count }, (_, i) => ({
      name: `player ${i} ${random(1000)}`,
      score: random(120),
      time: random(5000),
    })),
    port,
  };
}
