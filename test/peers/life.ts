import assert from 'node:assert/strict';
import type { Child } from '../system/child.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { Stack } from '../system/stack.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { fetchByGrpc, fetchByRest } from './callers.ts';
import type { Facts } from './references.ts';

/** A game server running on 127.0.0.1. */
export interface Peer {
  gameId: string;
  port: number;
  child: Child;
  /**
   * Queries the game server with a client that is not part of gsq. Resolves to undefined while the server does not
   * answer.
   */
  ask: () => Promise<Facts | undefined>;
}

/** Status and values of a game server in a REST or gRPC response. */
interface Sighting {
  status: string;
  facts: Facts | undefined;
}

/** Waits until the game server reports the given number of players. */
export async function settled({ gameId, child, ask }: Peer, players: number): Promise<void> {
  const look = () => {
    assert.ok(child.running, child.report);
    return ask();
  };
  await until(`${gameId} with ${players} players`, look, facts => facts?.players === players);
}

/**
 * Longest time from the end of a server process to the status "offline", ms. gsq waits so long because a server is also
 * silent during a map change.
 */
const OFFLINE_MS = 240_000;

/**
 * Checks through REST and gRPC that each game server is first pending, then online, and then offline with its last
 * data. While it is online, its values must equal those that `Peer.ask` reads without gsq.
 */
export async function followLives(peers: readonly Peer[]): Promise<void> {
  const stack = await Stack.start({ processes: ['core', 'gateway'] });
  let prober: ServiceProcess | undefined;
  try {
    for (const peer of peers) await seePending(stack, peer);
    prober = await ServiceProcess.start('prober', {
      GSQ_INTERNAL_ADDR: stack.internal,
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
      GSQ_PROBER_OPS_ADDR: '127.0.0.1:0',
    });
    const known: Sighting[] = [];
    for (const peer of peers) known.push(await seeOnline(stack, peer));
    await Promise.all(peers.map(({ child }) => child.stop('SIGKILL')));
    for (const [i, peer] of peers.entries()) await seeOffline(stack, peer, known[i]?.facts);
  } catch (error) {
    const reports = [error, ...peers.map(peer => peer.child.report), stack.report, prober?.child.report];
    throw new Error(reports.join('\n'), { cause: error });
  } finally {
    await prober?.child.stop();
    await stack.stop();
  }
}

/** Checks the statuses of one game server through REST and gRPC: pending, online, offline. */
export function followLife(peer: Peer): Promise<void> {
  return followLives([peer]);
}

async function seePending(stack: Stack, peer: Peer): Promise<void> {
  const { inserted } = await fetchByRest(stack, peer.gameId, addressOf(peer));
  assert.deepEqual(inserted, [{ game_id: peer.gameId, server: addressOf(peer) }]);
  const unknown: Sighting = { status: 'pending', facts: undefined };
  assert.deepEqual(await see(stack, peer), [unknown, unknown]);
}

/**
 * Waits until a server is online in gsq. The values in gsq must equal those that `peer.ask` reads from the server
 * without gsq.
 */
async function seeOnline(stack: Stack, peer: Peer): Promise<Sighting> {
  const online = await bothShow(stack, peer, 'online');
  const known: Sighting = { status: 'online', facts: await peer.ask() };
  assert.deepEqual(online, [known, known]);
  return known;
}

/** Waits until a server is offline. The response must still contain its last known values. */
async function seeOffline(stack: Stack, peer: Peer, facts: Facts | undefined): Promise<void> {
  const last: Sighting = { status: 'offline', facts };
  assert.deepEqual(await bothShow(stack, peer, 'offline', OFFLINE_MS), [last, last]);
}

function bothShow(stack: Stack, peer: Peer, status: string, deadlineMs?: number): Promise<Sighting[]> {
  return until(
    `${addressOf(peer)} ${status} by REST and gRPC`,
    () => see(stack, peer),
    sightings => sightings.every(sighting => sighting.status === status),
    deadlineMs,
  );
}

function addressOf({ port }: Peer): string {
  return `127.0.0.1:${port}`;
}

/** Fetches the status of a game server from gsq through REST and through gRPC. */
function see(stack: Stack, peer: Peer): Promise<Sighting[]> {
  const { gameId } = peer;
  return Promise.all([seeByRest(stack, gameId, addressOf(peer)), seeByGrpc(stack, gameId, addressOf(peer))]);
}

async function seeByRest(stack: Stack, gameId: string, address: string): Promise<Sighting> {
  const { server } = await fetchByRest(stack, gameId, address);
  const { status } = server._updater;
  const { name, map, players, maxplayers } = server;
  if (name === undefined) return { status, facts: undefined };
  assert.ok(map !== undefined && players !== undefined && maxplayers !== undefined, JSON.stringify(server));
  assert.equal(server.numplayers, players);
  assert.match(server.updated ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return { status, facts: { name, map, players, maxplayers } };
}

async function seeByGrpc(stack: Stack, gameId: string, address: string): Promise<Sighting> {
  const { updater, payload } = await fetchByGrpc(stack, gameId, address);
  const status = (updater?.status ?? '').replace('SERVER_STATUS_', '').toLowerCase();
  if (!payload) return { status, facts: undefined };
  const { name, map, players = -1, maxplayers = -1 } = payload;
  return { status, facts: { name, map, players, maxplayers } };
}
