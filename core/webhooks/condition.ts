import { payloadObject } from '../../proto/codec/payload-object.ts';
import type { ServerRecord, Status } from '../servers/server-record.ts';
import type { ConditionState } from './condition-state.ts';
import type { HookCondition, Webhook } from './webhook.ts';

/** The fields of a server that the conditions of webhooks check. */
export interface HookFacts {
  /** Status of the server in answers: true for online, false for offline, undefined for `pending`. */
  readonly isOnline: boolean | undefined;
  /**
   * The stored status of the server: true for online, false for offline, undefined if it was never known. Answers show
   * `pending` instead if the data of the server is too old.
   */
  readonly wasOnline: boolean | undefined;
  /**
   * The last known number of players. Undefined if the server did not report the number, or never answered. The same
   * applies to `maxPlayers`.
   */
  readonly players: number | undefined;
  readonly maxPlayers: number | undefined;
  /** The last known map of the server; empty if the server reported none. */
  readonly map: string;
}

/**
 * Returns the fields of a server that webhook conditions check. `shown`: the status that answers show for the server.
 */
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
 * Returns whether a webhook condition is true now, or undefined if this is not known. `mapBefore`: the earlier map of
 * the server. A condition with the event `map` compares the current map with it.
 */
function holds(
  { event, players: limit, forMs }: HookCondition,
  facts: HookFacts,
  mapBefore: string | undefined,
): boolean | undefined {
  const { isOnline, map } = facts;
  if (event === 'online' || isOnline === undefined) return event === 'online' ? isOnline : undefined;
  if (event === 'offline') return !isOnline;
  // Ignores the number of players and the map of an offline server, because they are from when it was still online.
  if (!isOnline) return undefined;
  if (event !== 'map') return heldLast({ event, players: limit, forMs }, facts);
  return mapBefore === undefined || map === '' ? undefined : map !== mapBefore;
}

/**
 * Returns whether a webhook condition is true according to the last known data of a server, even if the server is
 * offline now. Returns undefined if the data does not show whether the condition is true.
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

/** Returns the condition of a webhook to which the given state belongs. A webhook can have several conditions. */
export function conditionOf(webhook: Webhook, { index }: ConditionState): HookCondition {
  return webhook.conditions[index] as HookCondition;
}

/**
 * Returns the time (Unix ms) at which gsq queues the delivery for a webhook condition that stays true. It is the end of
 * the condition's duration (`forMs`) or of the cooldown, whichever is later.
 */
export function dueOf(webhook: Webhook, { index, since, firedAt }: ConditionState): number {
  const forMs = webhook.conditions[index]?.forMs ?? 0;
  return Math.max(since + forMs, firedAt === 0 ? 0 : firedAt + webhook.cooldownMs);
}

/** Returns whether a webhook condition with a pending delivery is still true, or undefined if this is not known. */
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
 * Returns true if a change of a server turns a webhook condition from false to true. `isNewMap`: true if the map may
 * have changed.
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

/**
 * True if a webhook condition was false according to the old data of the server, and is unknown according to the new
 * data. For example, the last answer contained no number of players, or no map.
 */
export function isForgotten(condition: HookCondition, before: HookFacts, after: HookFacts): boolean {
  if (condition.event === 'map') return before.map !== '' && after.map === '';
  return heldLast(condition, before) === false && heldLast(condition, after) === undefined;
}
