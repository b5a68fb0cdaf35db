import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import type { ChangedRecord } from '../servers/record-status.ts';
import { isUnknowable, type ServerRecord } from '../servers/server-record.ts';
import { CorruptHourError } from './bit-stream.ts';
import type { SealedHour } from './history-store.ts';
import { appendSample, beginHour, calendarHourOf, hourOf, sealedHour } from './hour-coding.ts';
import { hourPhase } from './hour-phase.ts';
import type { Sample } from './sample.ts';

/**
 * Maximum time for which a sample (result of a probe) counts, in probe intervals. A sample gives the status of its
 * server until the next sample, but not for longer than this time.
 */
export const HOLD = 1.5;
/**
 * If the clock was set back, a new sample can be older than the start of the current hour of samples. If it is at most
 * this number of ms older, `addSample` drops the new sample. If it is older than that, `addSample` drops the samples of
 * the current hour, and begins a new hour with the new sample.
 */
const SET_BACK_MS = 3_600_000;

/**
 * Returns the sample (entry of the history) of a probe that was answered. `next`: record of the server after the probe.
 */
export function onlineSample(
  { players, maxplayers, bots }: Pick<ReportedPayload, 'players' | 'maxplayers' | 'bots'>,
  next: ServerRecord,
): Sample {
  return {
    at: next.lastProbeAt,
    state: 'online',
    players: players < 0 ? undefined : players,
    maxPlayers: maxplayers < 0 ? undefined : maxplayers,
    bots,
    holdMs: HOLD * next.intervalMs,
  };
}

/**
 * Returns the sample (entry of the history) of a probe that was not answered. Returns undefined if the server does not
 * count as offline yet, because it is perhaps still online. `next`: record of the server after the probe.
 */
export function unansweredSample(next: ServerRecord): Sample | undefined {
  if (next.status !== 'offline') return undefined;
  return {
    at: next.lastProbeAt,
    state: isUnknowable(next.reason) ? 'unknown' : 'offline',
    players: undefined,
    maxPlayers: undefined,
    bots: 0,
    holdMs: HOLD * next.intervalMs,
  };
}

/**
 * Adds a sample to the samples of the current hour in a server record. If the sample belongs to a later hour, begins a
 * new hour and returns the finished one, which the caller must store.
 */
export function addSample(record: ChangedRecord, sample: Sample): SealedHour | undefined {
  const { openHour } = record;
  const phase = hourPhase(record);
  const open = openHour.length === 0 ? 0 : calendarHourOf(openHour);
  const hour = hourOf(sample.at, phase);
  if (hour === open) {
    record.openHour = appended(openHour, sample, phase);
    return undefined;
  }
  if (hour < open) {
    // The clock was set back, so the new sample belongs to an earlier hour than the samples in the server record. If it
    // is at most SET_BACK_MS older than the start of the recorded hour, it is dropped. An older sample begins a new
    // hour, because gsq would otherwise drop all samples until the clock reaches the recorded hour again.
    if (open + phase - sample.at > SET_BACK_MS) record.openHour = beginHour(sample, phase);
    return undefined;
  }
  record.openHour = beginHour(sample, phase);
  // Copies the old samples, because the store soon overwrites the record that contains them.
  return openHour.length === 0 ? undefined : sealedHour(Buffer.from(openHour));
}

function appended(openHour: Uint8Array, sample: Sample, phase: number): Uint8Array {
  try {
    return appendSample(openHour, sample, phase);
  } catch (error) {
    if (!(error instanceof CorruptHourError)) throw error;
    // Drops the damaged samples of the current hour.
    return beginHour(sample, phase);
  }
}
