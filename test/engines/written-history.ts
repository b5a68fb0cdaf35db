import assert from 'node:assert/strict';
import { History, historyDirectory } from '../../core/store/history/history.ts';
import { createLogger } from '../../runtime/log.ts';
import { addressAt, gameAt } from '../bench/tracked-servers.ts';
import { credentialHeaders } from '../contract/rest.ts';
import {
  DAY,
  everyMinute,
  HOUR,
  hoursOf,
  LONGEST_HOLD,
  offlineAt,
  onlineAt,
  RETENTION,
} from '../core/store/history/opened-history.ts';
import { ask } from '../gateway/ask.ts';
import { bootstrap } from '../system/stack-settings.ts';

/**
 * Settings of the cores and of `gsq migrate`: they keep every sample for two days. One day is too short, because a core
 * summarises a day only three hours after its end.
 */
export const KEPT = { GSQ_HISTORY_MINUTES: '2d' };
/** Number of servers with a long history (40 hours of samples). They are the servers with the indexes 0 to 11. */
export const SERVERS_WITH_HISTORY = 12;
/**
 * Number of servers that have a history. TEST_MIGRATED_HISTORIES can set a larger number. The additional histories are
 * short (three hours of samples).
 */
const HISTORIES = Math.max(SERVERS_WITH_HISTORY, Number(process.env.TEST_MIGRATED_HISTORIES ?? 0));
/**
 * Maximum number of short histories that the test compares. The test reads them over REST before and after a migration.
 */
const COMPARED = 200;
/**
 * Time span of a long history, ms. It ends before the current hour, because a core may still change the samples of this
 * hour.
 */
const SPAN_MS = 40 * HOUR;
/** Time span of a short history, ms. Short and long histories begin at the same time. */
const SHORT_SPAN_MS = 3 * HOUR;
/**
 * Number of servers whose history is written to disk at a time. It is limited, because the write queue has a limited
 * size.
 */
const SERVERS_AT_A_TIME = 5_000;
/** INCIDENTS: number of incidents (downtimes) in each long history. OFFLINE_MS: length of each incident, ms. */
const INCIDENTS = 3;
const OFFLINE_MS = 20 * 60_000;

/**
 * Writes a history for some servers of a data directory that no core uses: samples of the last days, incidents, and
 * daily summaries.
 */
export async function writeHistory(directory: string): Promise<void> {
  const end = Date.now();
  let now = end;
  let uptime = 0;
  const history = History.open({
    directory: historyDirectory(directory),
    retention: { ...RETENTION, minutes: 2 * DAY },
    longestHoldMs: LONGEST_HOLD,
    now: () => now,
    monotonic: () => uptime,
    log: createLogger('core', 'silent'),
    pagePauseMs: 0,
  });
  const to = Math.floor(end / HOUR) * HOUR - HOUR;
  for (let i = SERVERS_WITH_HISTORY; i < HISTORIES; i++) {
    const key = `${gameAt(i)} ${addressAt(i)}`;
    const from = to - SPAN_MS;
    for (const hour of hoursOf(
      key,
      everyMinute(from, from + SHORT_SPAN_MS, at => onlineAt(at, i % 30)),
    ))
      history.store.sealHour(key, hour);
    if (i % SERVERS_AT_A_TIME === 0) await history.flush();
  }
  for (let i = 0; i < SERVERS_WITH_HISTORY; i++) {
    const key = `${gameAt(i)} ${addressAt(i)}`;
    const downs = Array.from({ length: INCIDENTS }, (_, n) => to - (INCIDENTS - n) * (i + 2) * HOUR);
    const isDown = (at: number) => downs.some(down => at >= down && at < down + OFFLINE_MS);
    const sampleAt = (at: number) => (isDown(at) ? offlineAt(at) : onlineAt(at, (at / 60_000) % 30));
    for (const hour of hoursOf(key, everyMinute(to - SPAN_MS, to, sampleAt)))
      history.store.sealHour(key, hour);
    for (const down of downs) {
      history.store.addOffline(key, down, 'no_reply');
      history.store.addOnline(key, down + OFFLINE_MS);
    }
  }
  // Removes the first server of the test. The server is inserted again later, so callers see only the newer part of its
  // history.
  now = to - 10 * HOUR;
  history.store.remove([`${gameAt(0)} ${addressAt(0)}`]);
  now = end;
  await history.flush();
  // The history computes daily summaries only if it has been open for at least 15 minutes. Pretends that it has been
  // open for an hour, so that `maintain` computes them now.
  uptime = HOUR;
  await history.maintain();
  assert.ok(history.counters.rolledUp > 0);
  await history.close();
}

/** The history that `writeHistory` wrote, as callers see it over REST. */
export interface ShownHistory {
  /** The answers with the history and the incidents of each compared server. */
  readonly texts: readonly string[];
  /**
   * For each time window: the share of time in which the server was online, and the share of time with a known status.
   */
  readonly shares: readonly number[];
}

/**
 * Returns the indexes of the servers whose history is read: all servers with a long history, and some servers with a
 * short one.
 */
function comparedServers(): number[] {
  const step = Math.max(1, Math.ceil((HISTORIES - SERVERS_WITH_HISTORY) / COMPARED));
  const others = Array.from(
    { length: Math.ceil((HISTORIES - SERVERS_WITH_HISTORY) / step) },
    (_, i) => SERVERS_WITH_HISTORY + i * step,
  );
  return [...Array.from({ length: SERVERS_WITH_HISTORY }, (_, i) => i), ...others];
}

/** Reads the written history of the days before `at` (Unix ms) over REST. */
export async function readHistory(http: string, at: number): Promise<ShownHistory> {
  const texts: string[] = [];
  const shares: number[] = [];
  const span = `from=${new Date(at - 3 * DAY).toISOString()}&to=${new Date(at - HOUR).toISOString()}`;
  const read = async (path: string) => {
    const answer = await ask(http, { path, headers: credentialHeaders(bootstrap) });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  for (const i of comparedServers()) {
    const server = `/v1/servers/${gameAt(i)}/${addressAt(i)}`;
    for (const part of [`history?${span}&step=900s`, 'incidents'])
      texts.push((await read(`${server}/${part}`)).text);
    const { windows } = (await read(`${server}/uptime?window=7d,30d`)).json as { windows: Window[] };
    for (const { online_share, known_share } of windows) shares.push(online_share ?? 0, known_share);
  }
  return { texts, shares };
}

interface Window {
  online_share: number | null;
  known_share: number;
}

/**
 * Checks that callers still see the history that the test has read earlier (`before`). The shares of uptime can differ
 * by up to 0.01, because their time windows now end later.
 */
export async function checkHistory(http: string, at: number, before: ShownHistory): Promise<void> {
  const { texts, shares } = await readHistory(http, at);
  for (const [i, text] of texts.entries()) assert.equal(text, before.texts[i]);
  for (const [i, share] of shares.entries())
    assert.ok(Math.abs(share - (before.shares[i] ?? 0)) < 0.01, `${share} instead of ${before.shares[i]}`);
}
