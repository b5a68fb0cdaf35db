import { decodeHour, hourOf, sealedHour } from '../../../core/history/hour-coding.ts';
import { hourPhaseOfKey } from '../../../core/history/hour-phase.ts';
import type { Sample } from '../../../core/history/sample.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ADDRESS } from './recorded.ts';

/** Key of the server under test. */
export const KEY = `csgo ${ADDRESS}`;

/** Time from each full hour of the clock to the start of a one-hour block of samples of this server, ms. */
export const PHASE = hourPhaseOfKey(KEY);

/**
 * Returns the start of the one-hour block of samples that contains the time `at`, Unix ms. Each block begins PHASE
 * milliseconds after a full hour of the clock.
 */
export const hourBegin = (at: number): number => hourOf(at, PHASE) + PHASE;

/** Returns the samples of the current hour, which the record of a server contains. */
export const samplesOf = ({ openHour }: ServerRecord): Sample[] => decodeHour(sealedHour(openHour));
