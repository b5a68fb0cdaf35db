import { payloadObject } from '../../proto/codec/payload-object.ts';
import type { ServerRecord, Status } from '../servers/server-record.ts';
import type { ConditionState } from './condition-state.ts';
import type { HookCondition, Webhook } from './webhook.ts';

/** The fields of a server that the conditions of webhooks check. */
export interface HookFacts {
  /** The verdict that answers show. Undefined while they show `pending`. */
  readonly isOnline: boolean | undefined;
  /** The last verdict; undefined if there was none yet. It stays the same while answers show `pending`. */
  readonly wasOnline: boolean | undefined;
  /** The last known numbers; undefined if the server did not report them, or never answered. */
  readonly players: number | undefined;
  readonly maxPlayers: number | undefined;
  /** The last known map; empty if the server reported none. */
  readonly map: string;
}

/** Returns the facts of a record. `shown`: the status that answers show. */
export function factsOf(record: ServerRecord, shown: Status): HookFacts {
  const { players, maxplayers, map = '' } = record.lastOnlineAt === 0 ? {} : payloadObject(record.data);
  return {
    isOnline: verdictOf(shown),
    wasOnline: verdictOf(record.status),
    players,
    maxPlayers: maxplayers,
    map,
  };
}

function verdictOf(status: Status): boolean | undefined {
  return status === 'pending' ? undefined : status === 'online';
}

/**
 * Returns if a condition holds. Undefined if that is not known. `mapBefore`: for the event `map`, the map from which the
 * current one must differ; undefined if the map has not changed.
 */
function holds(
  { event, players: limit, forMs }: HookCondition,
  facts: HookFacts,
  mapBefore: string | undefined,
): boolean | undefined {
  const { isOnline, map } = facts;
  if (event === 'online' || isOnline === undefined) return event === 'online' ? isOnline : undefined;
  if (event === 'offline') return !isOnline;
  // The numbers and the map of an offline server are those of its last reply.
  if (!isOnline) return undefined;
  if (event !== 'map') return heldLast({ event, players: limit, forMs }, facts);
  return mapBefore === undefined || map === '' ? undefined : map !== mapBefore;
}

/**
 * Returns if a condition held when it was known last. A server that is offline keeps its numbers of players, and a server
 * that is shown as pending keeps its last verdict.
 */
function heldLast(condition: HookCondition, facts: HookFacts): boolean | undefined {
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

/** Returns the condition to which a state belongs. */
export function conditionOf(webhook: Webhook, { index }: ConditionState): HookCondition {
  return webhook.conditions[index] as HookCondition;
}

/** Returns the time at which a condition that holds gets its delivery. */
export function dueOf(webhook: Webhook, { index, since, firedAt }: ConditionState): number {
  const forMs = webhook.conditions[index]?.forMs ?? 0;
  return Math.max(since + forMs, firedAt === 0 ? 0 : firedAt + webhook.cooldownMs);
}

/** Returns if an armed condition holds. Undefined if that is not known. */
export function stillHolds(
  condition: HookCondition,
  facts: HookFacts,
  { before }: ConditionState,
): boolean | undefined {
  return holds(condition, facts, condition.event === 'map' ? mapOf(before) : undefined);
}

function mapOf(payload: string): string | undefined {
  return (JSON.parse(payload) as { map?: string } | null)?.map;
}

/**
 * Returns if a condition was false when it was known last, and is true now. `isNewMap`: true if the map may have changed.
 */
export function isRise(
  condition: HookCondition,
  before: HookFacts,
  after: HookFacts,
  isNewMap: boolean,
): boolean {
  if (condition.event === 'map')
    return isNewMap && before.map !== '' && holds(condition, after, before.map) === true;
  return heldLast(condition, before) === false && holds(condition, after, undefined) === true;
}

/** Returns if a condition was false when it was known last, and the record no longer has the number that tells it. */
export function isForgotten(condition: HookCondition, before: HookFacts, after: HookFacts): boolean {
  return heldLast(condition, before) === false && heldLast(condition, after) === undefined;
}
