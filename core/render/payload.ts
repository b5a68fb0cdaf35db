import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { Staleness } from '../servers/freshness.ts';
import { labels, type Reason, reasons, statuses } from '../servers/server-record.ts';
import type { ServerView } from '../servers/server-view.ts';
import { fallbackMessages } from './fallback-message.ts';
import { writeIsoTime } from './iso-time.ts';
import { writeData } from './payload-json.generated.ts';

/**
 * Converts a probe interval in ms to whole minutes, as the API contract (CONTRACT) requires. The result is at least 1.
 */
export function intervalMinutes(ms: number): number {
  return Math.max(1, Math.ceil(ms / 60_000));
}

function byReason(text: (reason: Reason) => string): Readonly<Record<Reason, Buffer>> {
  return Object.fromEntries(reasons.map(reason => [reason, Buffer.from(text(reason))])) as Record<
    Reason,
    Buffer
  >;
}

/**
 * Cache of the first part of the JSON object `_updater`, up to its first time stamp. This text depends only on the
 * status, the firewall label and the probe interval of a server. The key combines these three values.
 */
const updaterStarts = new Map<number, Buffer>();

function updaterStart({ status, label, intervalMs }: ServerView): Buffer {
  const minutes = intervalMinutes(intervalMs);
  const combination =
    (minutes * labels.length + labels.indexOf(label)) * statuses.length + statuses.indexOf(status);
  let start = updaterStarts.get(combination);
  if (!start) {
    start = Buffer.from(
      `"_updater":{"status":"${status}","firewall_interval_minutes":${minutes},"firewall_label":"${label}","next_probe_at":`,
    );
    // The cache `updaterStarts` gets at most 10,000 texts. Without a limit, it could fill the memory, because each
    // different probe interval needs a text of its own.
    if (updaterStarts.size < 10_000) updaterStarts.set(combination, start);
  }
  return start;
}

const LAST_PROBE = Buffer.from(',"last_probe_at":');
const LAST_ONLINE = Buffer.from(',"last_online_at":');
/**
 * Start of the JSON payload of a server that never answered: the key `message` with a text for people, in place of
 * server data. The text depends on the reason why the server is not online.
 */
const FALLBACK_STARTS = byReason(reason => `{"message":${JSON.stringify(fallbackMessages[reason])},`);
/**
 * The last bytes of a server's JSON object `_updater`, for each reason why a server is not online: the key `reason`
 * with its value, and the closing brace.
 */
const REASON_ENDS = byReason(reason => `,"reason":"${reason}"}`);
const COMMA = 0x2c;
const CLOSE = 0x7d;

/**
 * Writes the part of a server's JSON payload that usually stays the same until the next probe. The part contains the
 * object `_updater` and the server data. If the server never answered, a message replaces the data.
 */
export function writeStablePart(out: ByteWriter, server: ServerView): void {
  if (server.lastOnlineAt !== 0) {
    writeData(out, server);
    out.byte(COMMA);
  } else {
    out.copy(FALLBACK_STARTS[server.reason]);
  }
  out.copy(updaterStart(server));
  writeIsoTime(out, server.nextProbeAt);
  out.copy(LAST_PROBE);
  writeIsoTime(out, server.lastProbeAt);
  out.copy(LAST_ONLINE);
  writeIsoTime(out, server.lastOnlineAt);
  if (server.status === 'online') out.byte(CLOSE);
  else out.copy(REASON_ENDS[server.reason]);
}

/** Writes the end of a server's JSON payload: the object `_stale` if the data is stale, and the closing brace. */
export function writePayloadEnd(out: ByteWriter, stale: Staleness | undefined): void {
  if (stale) writeStale(out, stale);
  out.byte(CLOSE);
}

function writeStale(
  out: ByteWriter,
  { reason, ageSeconds, thresholdSeconds, lastSuccessAt }: Staleness,
): void {
  out.text(
    `,"_stale":{"reason":"${reason}","age_seconds":${ageSeconds},"threshold_seconds":${thresholdSeconds},"last_success_at":`,
  );
  writeIsoTime(out, lastSuccessAt);
  out.byte(CLOSE);
}

/**
 * Returns the entry of an invalid pair of game and address as JSON. It contains a message for people in place of server
 * data.
 */
export function renderInvalid(message: string): string {
  return JSON.stringify({
    message,
    _updater: {
      status: 'invalid',
      firewall_interval_minutes: 0,
      firewall_label: 'none',
      next_probe_at: null,
      last_probe_at: null,
      last_online_at: null,
    },
  });
}
