import type { ChangeServersRequest__Output } from '../../../proto/generated/gsq/v1/ChangeServersRequest.ts';
import type { PartCall, PartCall__Output } from '../../../proto/generated/gsq/v1/PartCall.ts';
import type { PartServer, PartServer__Output } from '../../../proto/generated/gsq/v1/PartServer.ts';
import type { ServerGroup } from '../../../proto/generated/gsq/v1/ServerGroup.ts';
import type { PartAction, PartChange, PartResult, ServerRef } from '../../servers/cluster-servers.ts';
import { invalidReasons } from '../../servers/pair-check.ts';
import { encodeRecord } from '../../servers/record-codec.ts';
import { serverKey } from '../../servers/server-record.ts';
import { decodeStored } from '../../servers/stored-record.ts';

/**
 * Maximum number of unanswered calls on one FetchParts stream (from one core to another). The calling core and the
 * called core both refuse further calls.
 */
export const MAX_PART_CALLS = 4096;

const ACTIONS = {
  read: 'PART_ACTION_READ',
  insert: 'PART_ACTION_INSERT',
  check: 'PART_ACTION_CHECK',
} as const;

const CHANGES = {
  remove: 'SERVER_ACTION_REMOVE',
  list: 'SERVER_ACTION_LIST_PUBLICLY',
  hide: 'SERVER_ACTION_HIDE',
  access: 'SERVER_ACTION_ACCESS',
} as const;

/** A request from one core to another core, to read, insert or check servers that the other core owns. */
export interface PartRequest {
  action: PartAction;
  servers: readonly ServerRef[];
  /** Id of the token that inserts the servers; OPERATOR if the operator inserts them. */
  insertedBy: string;
  /** Maximum time to wait for the first replies of inserted servers, ms. */
  waitMs: number;
}

/** Creates the FetchParts message that contains a request. `id`: number of this call in the FetchParts stream. */
export function partCall(id: number, { action, servers, insertedBy, waitMs }: PartRequest): PartCall {
  const groups: (ServerGroup & { servers: string[] })[] = [];
  for (const { gameId, address } of servers) {
    const last = groups.at(-1);
    if (last?.gameId === gameId) last.servers.push(address);
    else groups.push({ gameId, servers: [address] });
  }
  return { id, action: ACTIONS[action], servers: groups, insertedBy, waitMs };
}

/** Decodes a request from a FetchParts message. Returns undefined if its action is unknown. */
export function readPartCall({
  action,
  servers,
  insertedBy,
  waitMs,
}: PartCall__Output): PartRequest | undefined {
  const known = keyOf(ACTIONS, action);
  const refs = servers.flatMap(({ gameId, servers: addresses }) =>
    addresses.map(address => ({ gameId, address })),
  );
  return known && { action: known, servers: refs, insertedBy, waitMs };
}

/**
 * Creates the FetchParts message that contains the result for one server. `result` is undefined if the called core does
 * not own the server.
 */
export function partServer(result: PartResult | undefined): PartServer {
  if (!result) return { moved: true };
  const { record, inserted, invalid, access } = result;
  return {
    inserted,
    ...(record && { record: encodeRecord(record) }),
    ...(invalid && { invalidReason: invalid.reason, invalidMessage: invalid.message }),
    ...(access && { access: { hasSecret: access.secret, options: [...access.options] } }),
  };
}

/**
 * Decodes the result for one server from a FetchParts message. Returns undefined if the called core does not own the
 * server. Throws if the record, or the reason of a refusal, cannot be read.
 */
export function readPartServer(
  { gameId, address }: ServerRef,
  { record, inserted, invalidReason, invalidMessage, moved, access }: PartServer__Output,
): PartResult | undefined {
  if (moved) return undefined;
  const reason = invalidReasons.find(known => known === invalidReason);
  if (invalidReason !== '' && !reason) throw new Error(`the reason "${invalidReason}" is unknown`);
  return {
    inserted,
    ...(record.length > 0 && { record: decodeStored(serverKey(gameId, address), record) }),
    ...(reason && { invalid: { reason, message: invalidMessage } }),
    ...(access && { access: { secret: access.hasSecret, options: access.options } }),
  };
}

/** Creates a ChangeServers message: the change, and the keys of the servers to change. */
export function changeMessage(change: PartChange, keys: readonly string[]) {
  const kind = change.kind === 'list' && !change.isPublic ? 'hide' : change.kind;
  const message = { action: CHANGES[kind], keys: [...keys] };
  if (change.kind !== 'access') return message;
  const { secret, options } = change.access;
  return {
    ...message,
    access: {
      secret: secret ?? '',
      clearSecret: secret === '',
      options: [...options].map(([name, value]) => ({ name, value })),
    },
  };
}

/** Decodes the change in a ChangeServers message. Returns undefined if its action is unknown. */
export function readChange({ action, access }: ChangeServersRequest__Output): PartChange | undefined {
  const kind = keyOf(CHANGES, action);
  if (kind === 'remove' || kind === undefined) return kind && { kind };
  if (kind !== 'access') return { kind: 'list', isPublic: kind === 'list' };
  if (!access) return undefined;
  const { secret, clearSecret } = access;
  const options = new Map(access.options.map(({ name, value }) => [name, value]));
  return { kind, access: { options, ...((secret !== '' || clearSecret) && { secret }) } };
}

function keyOf<Key extends string>(names: Readonly<Record<Key, string>>, name: string): Key | undefined {
  return (Object.keys(names) as Key[]).find(key => names[key] === name);
}
