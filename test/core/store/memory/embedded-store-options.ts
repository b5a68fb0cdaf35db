import { clockAt } from '../../clock.ts';

/** Options of a store for ten servers, with a clock that stands still. */
export const options = { now: clockAt().now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 10 };
/** The insert of a server. */
export const server = { gameId: 'csgo', address: '1.2.3.4:27015', insertedBy: 'tok_1' };
