import { setTimeout as pause } from 'node:timers/promises';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { Config } from '../../runtime/config.ts';
import type { settings } from '../../runtime/settings.ts';
import { type CallCore, withCore } from '../service/core-call.ts';

/** A game server in the example request that `npm start` prints. */
export interface ExampleServer {
  gameId: string;
  address: string;
}

/** A server of the demo fleet. */
export interface FleetServer extends ExampleServer {
  /** Name of the server's query protocol, as in catalog.json. */
  protocol: string;
}

/** Data from the core that the launcher shows on the first screen. */
export interface FirstSteps {
  /** Secret of the first token. Undefined if the service already had a token. */
  secret: string | undefined;
  /** Tracked servers for the example request. Empty if the service tracks no server. */
  examples: ExampleServer[];
}

const { AddServers, CreateToken, GetStats, ListServers, ListTokens } = gsqV1.AdminService.service;

const MAX_FLEET_WAIT_MS = 5_000;
const POLL_MS = 50;
const MAX_EXAMPLES = 2;
/** Maximum length of an example address, so that it fits a line of 80 columns in the example request. */
const MAX_ADDRESS = 50;

/**
 * Makes the core track the servers of the demo fleet. Resolves when all of these servers are online, or after
 * MAX_FLEET_WAIT_MS.
 */
async function trackFleet(call: CallCore, fleet: readonly FleetServer[]): Promise<void> {
  const servers = fleet.map(({ gameId, address }) => ({ gameId, servers: [address] }));
  await call(AddServers, { servers });
  const end = Date.now() + MAX_FLEET_WAIT_MS;
  while ((await call(GetStats, { games: 0 })).online < fleet.length && Date.now() < end) await pause(POLL_MS);
}

/**
 * Returns example servers. In a demo, these are servers of the fleet with different protocols. Without a demo, this is
 * one tracked server, if possible an online one.
 */
async function findExamples(call: CallCore, fleet: readonly FleetServer[]): Promise<ExampleServer[]> {
  if (fleet.length > 0) {
    return fleet
      .filter(({ protocol }, i) => fleet.findIndex(other => other.protocol === protocol) === i)
      .slice(0, MAX_EXAMPLES);
  }
  const { servers } = await call(ListServers, { gameId: '', pageSize: 100, pageToken: '' });
  const short = servers.filter(({ server }) => server.length <= MAX_ADDRESS);
  const found = short.find(({ updater }) => updater?.status === 'SERVER_STATUS_ONLINE') ?? short[0];
  return found ? [{ gameId: found.gameId, address: found.server }] : [];
}

/**
 * Tracks the demo fleet, creates the first token if the service has none, and finds example servers. Rejects with
 * CommandError if the core refuses a call.
 */
export function takeFirstSteps(
  config: Config<typeof settings>,
  fleet: readonly FleetServer[],
  email: string,
): Promise<FirstSteps> {
  return withCore(config, async call => {
    if (fleet.length > 0) await trackFleet(call, fleet);
    const { tokens } = await call(ListTokens, {});
    const wish = { tier: config.GSQ_BOOTSTRAP_TYPE, email };
    const secret = tokens.length > 0 ? undefined : (await call(CreateToken, wish)).secret;
    return { secret, examples: await findExamples(call, fleet) };
  });
}
