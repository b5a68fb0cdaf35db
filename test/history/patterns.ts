import type { LeaseReport } from '../../core/schedule/lease-report.ts';
import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import { payloadFields, reported } from '../core/payload-of.ts';
import { signalsOf } from '../core/schedule/recorded.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * The ways in which simulated servers behave. The server with the number i has the pattern with the index i % length.
 */
export const PATTERNS = [
  'steady',
  'wave',
  'empty',
  'wave',
  'flapping',
  'maps',
  'dead',
  'cached',
  'limited',
  'unresolvable',
  'uncounted',
  'removed',
] as const;
/** The way in which a simulated server behaves. */
export type Pattern = (typeof PATTERNS)[number];

/**
 * The counts that a simulated server reports. `players` is undefined if the server does not report its number of
 * players.
 */
export interface Counts {
  readonly players: number | undefined;
  readonly maxPlayers: number;
  readonly bots: number;
}

/** The result of a probe of a simulated server. */
export type Found = { readonly report: Omit<LeaseReport, 'leaseId'>; readonly counts: Counts | undefined };

const payloads = new Map<string, ReportedPayload>();

/**
 * Returns a server payload with these player counts. If `isTimed` is true, the payload also lists players whose play
 * times never change, as if a cache answered instead of the server.
 */
function payloadWith({ players, maxPlayers, bots }: Counts, isTimed: boolean): ReportedPayload {
  const name = `${players} ${maxPlayers} ${bots} ${isTimed}`;
  const known = payloads.get(name);
  if (known) return known;
  const list = isTimed ? payloadFields().playerList : [];
  const { players: _, ...rest } = payloadFields({ maxplayers: maxPlayers, numbots: bots, playerList: list });
  const payload = reported(
    players === undefined ? (rest as ReturnType<typeof payloadFields>) : { ...rest, players },
  );
  payloads.set(name, payload);
  return payload;
}

function wave(at: number, most: number, seed: number): number {
  const daily = (1 + Math.sin((at / DAY + seed / 7) * 2 * Math.PI)) / 2;
  // The number of players rises and falls once a day. A smaller and faster wave is added, so that the number also
  // changes within each hour.
  const hourly = Math.sin(at / (7 * MINUTE) + seed) * 2;
  return Math.max(0, Math.min(most, Math.round(daily * most + hourly)));
}

/** Returns the counts that a simulated server reports at the time `at`, Unix ms. */
function countsOf(pattern: Pattern, seed: number, at: number): Counts {
  const mapNumber = Math.floor(at / (25 * MINUTE)) + seed;
  if (pattern === 'wave') return { players: wave(at, 32, seed), maxPlayers: 32, bots: 0 };
  if (pattern === 'empty') return { players: 0, maxPlayers: 16, bots: 0 };
  if (pattern === 'maps') {
    const maxPlayers = mapNumber % 5 === 0 ? 64 : 24;
    return { players: wave(at, maxPlayers, seed) >> (mapNumber % 2), maxPlayers, bots: mapNumber % 4 };
  }
  if (pattern === 'uncounted') {
    const isCounted = Math.floor(at / (40 * MINUTE)) % 3 > 0;
    return { players: isCounted ? 4 + (mapNumber % 3) : undefined, maxPlayers: 20, bots: 0 };
  }
  return { players: 5 + (seed % 20), maxPlayers: 32, bots: seed % 3 };
}

/** True if a simulated server is running at the time `at`. `bornAt`: start of the simulation. Both are Unix ms. */
function isUp(pattern: Pattern, seed: number, at: number, bornAt: number): boolean {
  if (pattern === 'flapping') return (at + seed * MINUTE) % (37 * MINUTE) < 21 * MINUTE;
  if (pattern === 'dead') return at < bornAt + 3 * HOUR || (at + seed * HOUR) % (9 * DAY) < 2 * HOUR;
  if (pattern === 'unresolvable') return (at + seed * HOUR) % (31 * HOUR) < 20 * HOUR;
  // With all patterns except `flapping`, `dead` and `unresolvable`, the simulated server is down once in eleven days.
  // It is then down for `seed` × 7 minutes (`seed` is the number of the server).
  return (at + seed * 5 * HOUR) % (11 * DAY) > seed * 7 * MINUTE;
}

/**
 * Returns the result of a probe of a simulated server. `seed`: number of the server. `bornAt`: start of the simulation,
 * Unix ms.
 */
export function probed(pattern: Pattern, seed: number, at: number, bornAt: number): Found {
  const nothing = { payload: null, queryPort: 0, signals: signalsOf(1, 1) };
  if (pattern === 'unresolvable' && (at + seed * HOUR) % (47 * HOUR) < 9 * HOUR)
    return {
      report: { ...nothing, outcome: 'PROBE_OUTCOME_UNRESOLVABLE', signals: null },
      counts: undefined,
    };
  if (!isUp(pattern, seed, at, bornAt))
    return { report: { ...nothing, outcome: 'PROBE_OUTCOME_NO_REPLY' }, counts: undefined };
  const counts = countsOf(pattern, seed, at);
  // A server with the pattern `limited` sometimes loses packets, as if the server limited the rate of queries. gsq then
  // probes the server less and less often, down to once every 15 minutes.
  const isLossy = pattern === 'limited' && (at + seed * HOUR) % (13 * HOUR) < 5 * HOUR;
  const payload = payloadWith(counts, pattern === 'cached');
  const signals = isLossy ? signalsOf(2, 1) : signalsOf(1, 0);
  return { report: { outcome: 'PROBE_OUTCOME_ONLINE', payload, queryPort: 27015, signals }, counts };
}
