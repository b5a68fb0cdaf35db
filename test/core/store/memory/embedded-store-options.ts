import { clockAt } from '../../clock.ts';

/** Options of a store for at most ten servers. The clock of the store always shows the same time. */
export const options = { now: clockAt().now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 10 };
/** A server, in the form in which insertIfAbsent() takes it. */
export const server = { gameId: 'csgo', address: '1.2.3.4:27015', insertedBy: 'tok_1' };
