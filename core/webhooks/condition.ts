import { payloadObject } from '../../proto/codec/payload-object.ts';
import { isInDoubt, isUnknowable, type ServerRecord } from '../servers/server-record.ts';
import type { HookCondition } from './webhook.ts';

/** The fields of a server that the conditions of webhooks check. */
export interface HookFacts {
  /** Undefined while gsq does not know whether the server is online: it was never probed, or cannot be queried now. */
  readonly isOnline: boolean | undefined;
  /** The last known number of players; undefined if the server did not report it, or never answered. */
  readonly players: number | undefined;
  readonly maxPlayers: number | undefined;
  /** The last known map; empty if the server reported none. */
  readonly map: string;
}

/**
 * Returns the fields of a server record that the conditions check. Takes about 20 µs, so this function is called only
 * for servers with webhooks.
 */
export function factsOf(record: ServerRecord): HookFacts {
  const { players, maxplayers, map = '' } = record.lastOnlineAt === 0 ? {} : payloadObject(record.data);
  return { isOnline: verdictOf(record), players, maxPlayers: maxplayers, map };
}

function verdictOf(record: ServerRecord): boolean | undefined {
  if (record.status === 'online') return true;
  if (record.status === 'pending' || (isInDoubt(record) && isUnknowable(record.reason))) return undefined;
  return false;
}

/**
 * Returns whether a condition is true now. Returns undefined if that is not known, and for the event `map`, which is a
 * moment and not a state.
 */
export function holds({ event, players: limit }: HookCondition, facts: HookFacts): boolean | undefined {
  const { isOnline } = facts;
  if (event === 'online' || isOnline === undefined) return event === 'online' ? isOnline : undefined;
  if (event === 'offline') return !isOnline;
  return isOnline ? heldLast({ event, players: limit, forMs: 0 }, facts) : undefined;
}

/**
 * Returns whether a condition was true when it was last known. For example, an offline server still has its last number
 * of players.
 */
export function heldLast(condition: HookCondition, facts: HookFacts): boolean | undefined {
  const { players, maxPlayers, isOnline } = facts;
  switch (condition.event) {
    case 'online':
      return isOnline;
    case 'offline':
      return isOnline === undefined ? undefined : !isOnline;
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
