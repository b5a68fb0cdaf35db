import { payloadObject } from '../../proto/codec/payload-object.ts';
import { isInDoubt, isUnknowable, type ServerRecord } from '../servers/server-record.ts';
import type { HookCondition } from './webhook.ts';

/** The fields of a server from which conditions are computed. */
export interface HookFacts {
  /** Undefined while there is no verdict: the server was never probed, or cannot be queried now. */
  readonly isOnline: boolean | undefined;
  /** The last verdict; undefined if there was none yet. It stays the same while the server cannot be queried. */
  readonly wasOnline: boolean | undefined;
  /** The last known numbers; undefined if the server did not report them, or never answered. */
  readonly players: number | undefined;
  readonly maxPlayers: number | undefined;
  /** The last known map; empty if there is none. */
  readonly map: string;
}

/** Returns the facts of a record. Takes about 20 µs, so it is called only for servers with webhooks. */
export function factsOf(record: ServerRecord): HookFacts {
  const { players, maxplayers, map = '' } = record.lastOnlineAt === 0 ? {} : payloadObject(record.data);
  const wasOnline = record.status === 'pending' ? undefined : record.status === 'online';
  return { isOnline: verdictOf(record), wasOnline, players, maxPlayers: maxplayers, map };
}

function verdictOf(record: ServerRecord): boolean | undefined {
  if (record.status === 'online') return true;
  if (record.status === 'pending' || (isInDoubt(record) && isUnknowable(record.reason))) return undefined;
  return false;
}

/**
 * Returns if a condition holds. Undefined if that is not known. `map` is no condition that holds; the result is
 * undefined.
 */
export function holds({ event, players: limit }: HookCondition, facts: HookFacts): boolean | undefined {
  const { isOnline } = facts;
  if (event === 'online' || isOnline === undefined) return event === 'online' ? isOnline : undefined;
  if (event === 'offline') return !isOnline;
  return isOnline ? heldLast({ event, players: limit, forMs: 0 }, facts) : undefined;
}

/**
 * Returns if a condition held when it was known last. A server that is offline keeps its numbers of players, and a server
 * that cannot be queried keeps its last verdict.
 */
export function heldLast(condition: HookCondition, facts: HookFacts): boolean | undefined {
  const { players, maxPlayers, wasOnline } = facts;
  switch (condition.event) {
    case 'online':
      return wasOnline;
    case 'offline':
      return wasOnline === undefined ? undefined : !wasOnline;
    case 'map':
      return undefined;
    case 'empty':
      return players === undefined ? undefined : players === 0;
    case 'players_over':
      return players === undefined ? undefined : players > condition.players;
    case 'full':
      return players === undefined || !maxPlayers ? undefined : players >= maxPlayers;
  }
}
