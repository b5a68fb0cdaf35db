import assert from 'node:assert/strict';
import type { Child } from '../system/child.ts';
import { INTERNAL_SECRET, ServiceProcess, Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { fetchByGrpc, fetchByRest } from './callers.ts';
import type { Facts } from './references.ts';

/** A running game server on 127.0.0.1. */
export interface Peer {
  gameId: string;
  port: number;
  child: Child;
  /** The server as another program sees it; undefined while it does not answer. */
  ask: () => Promise<Facts | undefined>;
}

/** What one way in shows of a server. */
interface Sighting {
  status: string;
  facts: Facts | undefined;
}

/** Waits until the server runs with as many players as were told to join. */
export async function settled({ gameId, child, ask }: Peer, players: number): Promise<void> {
  const look = () => {
    assert.ok(child.running, child.report);
    return ask();
  };
  await until(`${gameId} with ${players} players`, look, facts => facts?.players === players);
}

/**
 * Follows a settled server through REST and gRPC: pending while there is no prober, then online as the other
 * program sees it, then, when its process is ended, offline with its last data kept.
 */
export async function followLife(peer: Peer): Promise<void> {
  const stack = await Stack.start({ processes: ['core', 'gateway'] });
  let prober: ServiceProcess | undefined;
  try {
    await seePending(stack, peer);
    prober = await ServiceProcess.start('prober', {
      GSQ_INTERNAL_ADDR: stack.internal,
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
      GSQ_PROBER_OPS_ADDR: '127.0.0.1:0',
    });
    await seeTheRest(stack, peer);
  } catch (error) {
    const reports = [error, peer.child.report, stack.report, prober?.child.report];
    throw new Error(reports.join('\n'), { cause: error });
  } finally {
    await prober?.child.stop();
    await stack.stop();
  }
}

async function seePending(stack: Stack, peer: Peer): Promise<void> {
  const { inserted } = await fetchByRest(stack, peer.gameId, addressOf(peer));
  assert.deepEqual(inserted, [{ game_id: peer.gameId, server: addressOf(peer) }]);
  const unknown: Sighting = { status: 'pending', facts: undefined };
  assert.deepEqual(await see(stack, peer), [unknown, unknown]);
}

async function seeTheRest(stack: Stack, peer: Peer): Promise<void> {
  const bothShow = (status: string) =>
    until(
      `${addressOf(peer)} ${status} by REST and gRPC`,
      () => see(stack, peer),
      sightings => sightings.every(sighting => sighting.status === status),
    );
  const online = await bothShow('online');
  const known: Sighting = { status: 'online', facts: await peer.ask() };
  assert.deepEqual(online, [known, known]);

  await peer.child.stop('SIGKILL');
  const last: Sighting = { ...known, status: 'offline' };
  assert.deepEqual(await bothShow('offline'), [last, last]);
}

function addressOf({ port }: Peer): string {
  return `127.0.0.1:${port}`;
}

/** The server by REST and by gRPC. */
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
