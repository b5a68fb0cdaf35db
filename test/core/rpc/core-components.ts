import { DayQuota } from '../../../core/access/day-quota.ts';
import { LastUse } from '../../../core/access/last-use.ts';
import { TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { ServerCredentials } from '../../../core/credentials/server-credentials.ts';
import { FailureDetector } from '../../../core/detector/failure-detector.ts';
import { Dispatcher } from '../../../core/schedule/dispatcher.ts';
import { ReportRecorder } from '../../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { catalogOf } from '../catalog-of.ts';
import { clockAt } from '../clock.ts';
import { feedOf } from '../feed/feed-of.ts';
import { givenUpOf } from '../servers/given-up-of.ts';

/** Time in which a prober must report an ordered probe (lease duration of the core under test), ms. */
const LEASE_MS = 30_000;
/** Interval between two probes of a server of the core under test, ms. */
export const PROBE_INTERVAL_MS = 60_000;
/**
 * Maximum age of a server's last valid reply, ms. When the reply is older, its data is stale and the stored status no
 * longer applies.
 */
export const HOLD_MS = 600_000;

/**
 * Opens the store, the tokens and the probe schedule of a core in a new directory. Only the test advances the clock.
 * Adds to `closers` the functions that close the opened parts.
 */
export async function openComponents(
  closers: (() => unknown)[],
  games: readonly string[],
  maxServers = 10_000,
) {
  const clock = clockAt();
  const directory = scratchDirectory();
  const level = await LevelDbStore.open(directory, () => {});
  closers.push(() => level.close());
  const feed = feedOf();
  const credentials = await ServerCredentials.load(level, directory);
  const store = await EmbeddedServerStore.load(level, {
    now: clock.now,
    probeIntervalMs: PROBE_INTERVAL_MS,
    leaseMs: LEASE_MS,
    maxServers,
    onInserted: server => feed.publishInsert(server),
    onRemoved: server => feed.publishRemoval(server),
    onRemove: keys => credentials.dropAccess(keys),
  });
  const tokens = await Tokens.load(level, directory);
  const quota = await DayQuota.load(level, clock.now);
  closers.push(() => quota.close());
  const lastUse = await LastUse.load(level, clock.now);
  closers.push(() => lastUse.close());
  const tokenService = new TokenService(tokens, clock.now);
  const catalog = await catalogOf(clock.now, ...games);
  const changes = new ServerChanges();
  const givenUp = await givenUpOf(level, clock.now);
  const recorder = new ReportRecorder({
    store,
    changes,
    feed,
    probeIntervalMs: PROBE_INTERVAL_MS,
    detector: new FailureDetector(HOLD_MS),
    giveUpAfterProbes: 0,
  });
  const dispatcher = new Dispatcher({
    store,
    catalog,
    credentials,
    recorder,
    now: clock.now,
    probeIntervalMs: PROBE_INTERVAL_MS,
  });
  closers.push(() => dispatcher.close());
  return {
    clock,
    directory,
    level,
    credentials,
    store,
    tokens,
    quota,
    lastUse,
    tokenService,
    catalog,
    changes,
    feed,
    givenUp,
    dispatcher,
  };
}
