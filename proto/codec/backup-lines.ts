import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ServerPayload } from '../generated/gsq/v1/ServerPayload.ts';

/**
 * Version of the backup format that this release writes. This release can also read the formats 1 to 3. Release 0.1.0
 * writes format 1, which contains no credentials. Release 0.2.0 writes format 3.
 */
export const BACKUP_FORMAT = 4;

/** The first line of a backup. */
export interface BackupHeader {
  gsq: 'backup';
  format: number;
  /** Time of the backup, in ISO 8601 format and UTC. */
  made_at: string;
  /** Base64 of the key that hashes token secrets; null if no key exists yet. */
  token_key: string | null;
}

/** Number of backup lines of each kind. */
export interface BackupCounts {
  servers: number;
  credentials: number;
  tokens: number;
  usage: number;
  last_uses: number;
  webhooks: number;
  /** Number of backup lines that contain a part of the servers' history. */
  history: number;
}

/**
 * A tracked server in a backup. Times are milliseconds since the Unix epoch; 0 means never. The other fields have the
 * same meaning as in core/servers/server-record.ts.
 */
export interface BackupServer {
  game_id: string;
  address: string;
  inserted_at: number;
  inserted_by: string;
  /** True if the operator listed the server as public (`gsq servers list-publicly`). Absent if not. */
  is_public?: boolean | undefined;
  status: string;
  label: string;
  interval_ms: number;
  last_probe_at: number;
  last_online_at: number;
  next_probe_at: number;
  /** Reason for the status of the server. Absent in backup format 1. */
  reason?: string;
  /**
   * Packet loss history of the server. A restore ignores this field in a backup of format 1, in which its numbers had
   * a different meaning.
   */
  history: Record<string, number>;
  query_port: number;
  version: number;
  /**
   * The last payload: a gsq.v1.ServerPayload without `updated`, in proto3's JSON mapping. Null if the server never
   * answered.
   */
  payload?: ServerPayload | null;
  /**
   * JSON text: the object that the REST API shows for the last reply of the game server, but without its closing
   * brace. Empty if the server never answered. Present only in backup formats 1 and 2.
   */
  data?: string;
  /**
   * Base64 of the history samples of the current hour (core/history/hour-coding.ts). Absent if there are no samples,
   * and in backup formats 1 to 3.
   */
  open_hour?: string | undefined;
}

/** Line of a backup with the credentials and options of a server. It stands directly after the line of that server. */
export interface BackupCredentials {
  game_id: string;
  address: string;
  /**
   * Base64 of the encrypted credentials (core/credentials/credentials-key.ts). No backup contains the encryption key.
   */
  encrypted: string;
}

/** A backup line with a webhook. core/webhooks/webhook.ts defines the fields that this type does not list. */
export interface BackupWebhook {
  id: string;
  /** Base64 of the encrypted URL and secret of the webhook. No backup contains the encryption key. */
  encrypted: string;
}

/** A backup line with a part of the servers' history. Backups that were made without the history have no such lines. */
export interface BackupHistory {
  /**
   * Path of the history directory from which the data in `entries` comes, such as `minutes/2026-11-24T06`
   * (core/store/history/periods.ts). If the path is `history.key`, `entries` contains the secret key of the history.
   */
  path: string;
  /**
   * Base64 of history entries (core/store/history/history-backup.ts). In a line with the path `history.key`, it is the
   * Base64 of the secret key of the history.
   */
  entries: string;
}

/** A line of a backup between the header and the footer. `token` has the form that core/access/token.ts defines. */
export type BackupLine =
  | { server: BackupServer }
  | { credentials: BackupCredentials }
  | { token: { id: string } & Record<string, unknown> }
  | { usage: { token: string; minute: number; count: number } }
  | { last_use: { token: string; at: number } }
  | { webhook: BackupWebhook & Record<string, unknown> }
  | { history: BackupHistory };

/** The last line of a backup: the number of lines of each kind and a checksum of all earlier lines. */
export interface BackupFooter extends BackupCounts {
  end: true;
  /** SHA-256 of all bytes of the backup before this line, in hexadecimal. */
  sha256: string;
}

/** Thrown if a backup is damaged. `message` contains the line number and the damage. */
export class BackupError extends Error {
  override name = 'BackupError';
}

export function noCounts(): BackupCounts {
  return { servers: 0, credentials: 0, tokens: 0, usage: 0, last_uses: 0, webhooks: 0, history: 0 };
}

const KINDS = {
  server: 'servers',
  credentials: 'credentials',
  token: 'tokens',
  usage: 'usage',
  last_use: 'last_uses',
  webhook: 'webhooks',
  history: 'history',
} as const;

/** Adds 1 to the number of backup lines of the same kind as `line`. */
export function countLine(counts: BackupCounts, line: BackupLine): void {
  for (const [kind, count] of Object.entries(KINDS)) if (kind in line) counts[count]++;
}

/** Checks the lines of a backup in order. Throws BackupError at the first invalid line. */
export class BackupCheck {
  readonly counts = noCounts();
  readonly #hash = createHash('sha256');
  #number = 0;
  #header: BackupHeader | undefined;
  #whole = false;

  /**
   * Checks the next line of the backup. `text` is this line without its line feed. Returns the parsed line, or
   * undefined if it is the header or the footer.
   */
  line(text: string): BackupLine | undefined {
    this.#number++;
    if (this.#whole) throw this.#fault('follows the footer');
    const value = this.#parse(text);
    if (!this.#header) {
      this.#header = this.#readHeader(value);
    } else if ('end' in value) {
      this.#readFooter(value);
      return undefined;
    }
    this.#hash.update(`${text}\n`);
    if (this.#number === 1) return undefined;
    if (!Object.keys(KINDS).some(kind => kind in value)) throw this.#fault('has an unknown kind');
    const line = value as BackupLine;
    countLine(this.counts, line);
    return line;
  }

  /**
   * Returns the header of the backup. Call this method after the last line has been checked. Throws BackupError if the
   * backup is incomplete.
   */
  finish(): BackupHeader {
    if (!this.#header || !this.#whole) {
      throw new BackupError(
        `the backup is incomplete, it ends after line ${this.#number}: make another backup, or use an older one`,
      );
    }
    return this.#header;
  }

  get header(): BackupHeader | undefined {
    return this.#header;
  }

  #parse(text: string): object {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // Ignores the error of JSON.parse. The statement after this block throws a BackupError for invalid JSON and for
      // JSON that is not an object.
    }
    throw this.#fault('is not a JSON object');
  }

  #readHeader(value: object): BackupHeader {
    const header = value as Partial<BackupHeader>;
    if (header.gsq !== 'backup') throw this.#fault('is not the header of a gsq backup');
    if (!(Number(header.format) <= BACKUP_FORMAT)) {
      throw new BackupError(
        `the backup has format ${header.format}, but the newest format of this release is ${BACKUP_FORMAT}: use the release that made the backup, or a later one`,
      );
    }
    return header as BackupHeader;
  }

  #readFooter(value: object): void {
    const footer = value as Partial<BackupFooter>;
    for (const [kind, count] of Object.entries(this.counts)) {
      // The footer of a backup in format 1 has no number of credentials, because this format contains no credentials.
      const told = footer[kind as keyof BackupCounts] ?? 0;
      if (told !== count) throw this.#fault(`says ${told} ${kind}, but the backup contains ${count}`);
    }
    if (footer.sha256 !== this.#hash.digest('hex'))
      throw this.#fault('does not match the checksum of the lines before it');
    this.#whole = true;
  }

  #fault(what: string): BackupError {
    return new BackupError(
      `line ${this.#number} of the backup ${what}: the backup is damaged; use another one`,
    );
  }
}

/** Creates the footer of a backup from the number of lines and the checksum. */
export function footerOf(counts: BackupCounts, sha256: string): BackupFooter {
  return { end: true, ...counts, sha256 };
}

/**
 * Yields the lines of a backup file. Only a line feed ends a line. node:readline would also end a line at U+2028, but a
 * JSON string can contain U+2028.
 */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/**
 * Reads a backup file and calls `take` with each line between header and footer, one at a time. Rejects with
 * BackupError if the backup is damaged. Do not trust the content of the backup before the promise resolves.
 */
export async function readBackup(
  path: string,
  take: (line: BackupLine, header: BackupHeader) => void | Promise<void>,
): Promise<{ header: BackupHeader; counts: BackupCounts }> {
  const check = new BackupCheck();
  for await (const text of linesOf(path)) {
    const line = check.line(text);
    if (line && check.header) await take(line, check.header);
  }
  return { header: check.finish(), counts: check.counts };
}
