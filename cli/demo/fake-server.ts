/** A player on a fake server. */
export interface FakePlayer {
  name: string;
  score: number;
  /** Time at which the player joined, in milliseconds since the Unix epoch. */
  joinedAt: number;
}

/** The status of a fake server. The functions that answer queries read the status and do not change it. */
export interface FakeState {
  name: string;
  map: string;
  version: string;
  maxplayers: number;
  password: boolean;
  players: FakePlayer[];
}

const FIRST = ['Amber', 'Brisk', 'Clever', 'Dusty', 'Eager', 'Frosty', 'Gentle', 'Hasty'];
const SECOND = ['Badger', 'Crane', 'Dolphin', 'Egret', 'Falcon', 'Gecko', 'Heron', 'Ibis'];

function playerName(index: number): string {
  const first = FIRST[index % FIRST.length];
  const second = SECOND[Math.floor(index / FIRST.length) % SECOND.length];
  const round = Math.floor(index / (FIRST.length * SECOND.length));
  return `${first}${second}${round === 0 ? '' : round}`;
}

/**
 * Adds or removes players until the server has `count` players. `count` is limited to the range from 0 to `maxplayers`.
 */
export function setPlayers(state: FakeState, count: number, now: number): void {
  const wanted = Math.max(0, Math.min(state.maxplayers, Math.trunc(count)));
  state.players.length = Math.min(state.players.length, wanted);
  while (state.players.length < wanted) {
    const index = state.players.length;
    state.players.push({ name: playerName(index), score: (index * 7) % 23, joinedAt: now });
  }
}
