import { createHash } from 'node:crypto';
import {
  BACKUP_FORMAT,
  type BackupCounts,
  type BackupHeader,
  type BackupHistory,
  type BackupLine,
  type BackupServer,
  countLine,
  footerOf,
  noCounts,
} from '../../proto/codec/backup-lines.ts';
import { encodePayload, payloadObject } from '../../proto/codec/payload-object.ts';
import type { DayQuota } from '../access/day-quota.ts';
import type { LastUse } from '../access/last-use.ts';
import type { Token } from '../access/token.ts';
import type { ServerCredentials } from '../credentials/server-credentials.ts';
import { checkOpenHour } from '../history/hour-coding.ts';
import { payloadOfText } from '../servers/record-upgrade.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { labels, noHistory, reasons, serverKey, statuses } from '../servers/server-record.ts';
import { type StoredWebhook, webhookJson } from '../webhooks/webhook-entry.ts';

/** Approximate length of one chunk of a backup, in characters. A chunk consists of whole lines. */
const CHUNK = 64 * 1024;

/** Provides all data that is written to a backup. */
export interface BackupSource {
  servers(): AsyncIterable<ServerRecord>;
  /** The encrypted credentials of servers. */
  credentials: Pick<ServerCredentials, 'encryptedOf'>;
  tokens(): readonly Token[];
  quota: Pick<DayQuota, 'usages'>;
  lastUse: Pick<LastUse, 'times'>;
  webhooks(): Iterable<StoredWebhook>;
  /** Returns the token key; undefined if the data directory has none yet. */
  tokenKey(): Buffer | undefined;
  /** Yields the lines of the backup that contain the history. Undefined if the backup leaves out the history. */
  history?: (() => AsyncIterable<BackupHistory>) | undefined;
  now: () => number;
}

function backupServer(record: ServerRecord): BackupServer {
  return {
    game_id: record.gameId,
    address: record.address,
    inserted_at: record.insertedAt,
    inserted_by: record.insertedBy,
    is_public: record.isPublic || undefined,
    status: record.status,
    label: record.label,
    interval_ms: record.intervalMs,
    last_probe_at: record.lastProbeAt,
    last_online_at: record.lastOnlineAt,
    next_probe_at: record.nextProbeAt,
    reason: record.reason,
    history: { ...record.history },
    query_port: record.queryPort,
    version: record.version,
    payload: record.lastOnlineAt === 0 ? null : payloadObject(record.data),
    open_hour: record.openHour.length > 0 ? Buffer.from(record.openHour).toString('base64') : undefined,
  };
}

function oneOf<T extends string>(known: readonly T[], text: string, what: string): T {
  const found = known.find(each => each === text);
  if (found === undefined) throw new RangeError(`"${text}" is not a known ${what}`);
  return found;
}

/**
 * Returns the data of a server (payload) from its backup line, encoded as in a server record. In backup formats before
 * 3, the data is JSON text in the field `data`.
 */
function restoredData({ payload, data = '', address }: BackupServer): Buffer {
  return payload ? encodePayload(payload) : payloadOfText(data, address);
}

/**
 * Returns the samples (probe results) of the current hour from the field `open_hour` of a server line in a backup.
 * Throws CorruptHourError if they are not valid.
 */
function restoredHour({ open_hour = '' }: BackupServer): Buffer {
  const openHour = Buffer.from(open_hour, 'base64');
  checkOpenHour(openHour);
  return openHour;
}

/**
 * Returns the server record of a backup line. Throws RangeError for a value that this release does not know. Throws
 * SyntaxError if `data` is not valid JSON, and CorruptHourError if `open_hour` is not valid.
 */
export function restoredServer(line: BackupServer): ServerRecord {
  return {
    key: serverKey(line.game_id, line.address),
    gameId: line.game_id,
    address: line.address,
    insertedAt: line.inserted_at,
    insertedBy: line.inserted_by,
    isPublic: line.is_public ?? false,
    status: oneOf(statuses, line.status, 'status'),
    label: oneOf(labels, line.label, 'label'),
    intervalMs: line.interval_ms,
    lastProbeAt: line.last_probe_at,
    lastOnlineAt: line.last_online_at,
    nextProbeAt: line.next_probe_at,
    // Backups of release 0.1.0 do not contain the reason of a status, so it is derived from the time of the last probe.
    reason: oneOf(reasons, line.reason ?? (line.last_probe_at > 0 ? 'no_reply' : 'unprobed'), 'reason'),
    // A line without the field `reason` is from a backup of release 0.1.0. Its field `history` is ignored, because the
    // field had a different meaning in that release.
    history: line.reason === undefined ? noHistory : { ...noHistory, ...line.history },
    queryPort: line.query_port,
    version: line.version,
    data: restoredData(line),
    openHour: restoredHour(line),
  };
}

async function* contents(source: BackupSource): AsyncGenerator<BackupLine> {
  const { servers, credentials, tokens, quota, lastUse } = source;
  for await (const record of servers()) {
    yield { server: backupServer(record) };
    const encrypted = credentials.encryptedOf(record.key)?.toString('base64');
    if (encrypted === undefined) continue;
    yield { credentials: { game_id: record.gameId, address: record.address, encrypted } };
  }
  for (const token of tokens()) yield { token: { ...token } };
  for (const [token, minute, count] of quota.usages()) yield { usage: { token, minute, count } };
  for (const [token, at] of lastUse.times()) yield { last_use: { token, at } };
  for (const webhook of source.webhooks()) yield { webhook: { ...webhookJson(webhook) } };
  if (!source.history) return;
  for await (const history of source.history()) yield { history };
}

/**
 * Yields a backup as NDJSON: a header line, the content lines and a footer line. Each chunk consists of whole lines.
 */
export async function* backupChunks(source: BackupSource): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const counts: BackupCounts = noCounts();
  const header: BackupHeader = {
    gsq: 'backup',
    format: BACKUP_FORMAT,
    made_at: new Date(source.now()).toISOString(),
    token_key: source.tokenKey()?.toString('base64') ?? null,
  };
  let text = `${JSON.stringify(header)}\n`;
  const chunk = (): Buffer => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    text = '';
    return bytes;
  };
  for await (const line of contents(source)) {
    countLine(counts, line);
    text += `${JSON.stringify(line)}\n`;
    if (text.length >= CHUNK) yield chunk();
  }
  yield chunk();
  yield Buffer.from(`${JSON.stringify(footerOf(counts, hash.digest('hex')))}\n`);
}
