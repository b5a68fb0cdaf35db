import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { Staleness } from '../servers/freshness.ts';
import { labels, type Reason, reasons, statuses } from '../servers/server-record.ts';
import type { ServerView } from '../servers/server-view.ts';
import { fallbackMessages } from './fallback-message.ts';
import { writeIsoTime } from './iso-time.ts';
import { writeData } from './payload-json.generated.ts';

/** The interval in whole minutes, at least 1, as the contract counts it. */
export function intervalMinutes(ms: number): number {
  return Math.max(1, Math.ceil(ms / 60_000));
}

function byReason(text: (reason: Reason) => string): Readonly<Record<Reason, Buffer>> {
  return Object.fromEntries(reasons.map(reason => [reason, Buffer.from(text(reason))])) as Record<
    Reason,
    Buffer
  >;
}

/** Caches the start of `_updater`, up to its times, by status, label and interval: few combinations occur. */
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
    // Intervals come from settings, so there are few. The cap protects against a setting that changes every
    // day.
    if (updaterStarts.size < 10_000) updaterStarts.set(combination, start);
  }
  return start;
}

const LAST_PROBE = Buffer.from(',"last_probe_at":');
const LAST_ONLINE = Buffer.from(',"last_online_at":');
/** The start of each fallback message object, up to `_updater`, by reason. */
const FALLBACK_STARTS = byReason(reason => `{"message":${JSON.stringify(fallbackMessages[reason])},`);
/** The end of `_updater` of servers that are not online, by reason. */
const REASON_ENDS = byReason(reason => `,"reason":"${reason}"}`);
const COMMA = 0x2c;
const CLOSE = 0x7d;

/**
 * Appends the stable part of a payload: its data and `_updater`, or the fallback message object if there is
 * no data (CONTRACT, `_updater`: six keys always, `reason` last unless the server is online). It stays the
 * same until the server's next probe, or until `showAt` changes the view.
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

/** Appends the end of a payload, with `_stale` if the data is stale. */
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

/** The fallback message object of an invalid pair. */
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
