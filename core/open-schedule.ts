import type { Logger } from '../runtime/log.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { CoreConfig } from './core-settings.ts';
import type { FailureDetector } from './detector/failure-detector.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import type { OpenedStore } from './open-store.ts';
import { Dispatcher } from './schedule/dispatcher.ts';
import { ReportRecorder, type ReportRecorderDependencies } from './schedule/report-recorder.ts';
import type { ServerChanges } from './servers/server-changes.ts';

/** The dispatcher, which gives due servers to probers, and the recorder of the probers' reports. */
export interface Schedule {
  recorder: ReportRecorder;
  dispatcher: Dispatcher;
}

/**
 * Creates the recorder of probe reports and the dispatcher of probes. The dispatcher starts to give due servers to
 * probers.
 */
export function openSchedule(
  { store, credentials, givenUp, ownership }: OpenedStore,
  catalog: Catalog,
  changes: ServerChanges,
  feed: ChangeFeed,
  detector: FailureDetector,
  config: CoreConfig,
  log: Logger,
  now: () => number,
  history?: ReportRecorderDependencies['history'],
): Schedule {
  const probeIntervalMs = config.GSQ_PROBE_INTERVAL;
  const recorder = new ReportRecorder({
    store,
    changes,
    feed,
    probeIntervalMs,
    detector,
    history,
    giveUpAfterProbes: config.GSQ_UNPROVEN_PROBES,
    hasAccess: key => credentials.namesOf(key) !== undefined,
    onRecorded: log.isLevelEnabled('debug') ? logRecorded(log) : undefined,
    onGivenUp: (before, after) => changes.publish(givenUp.addServer(before, after)),
  });
  const dispatcher = new Dispatcher({
    store,
    catalog,
    credentials,
    recorder,
    now,
    probeIntervalMs,
    canLease: () => ownership?.isValid ?? true,
    onOutage(open) {
      const { ignored } = recorder;
      if (open)
        log.warn(
          { ignored },
          "a prober's own internet connection seems down: failed probes are ignored until replies come",
        );
      else log.info({ ignored }, 'replies come again: failed probes are no longer ignored');
    },
  });
  return { recorder, dispatcher };
}

/**
 * Returns a function that writes a log line for each recorded report of a probe. The log of the prober contains the
 * same `lease_id`, so an operator can find both log lines of a probe.
 */
function logRecorded(log: Logger): ReportRecorderDependencies['onRecorded'] {
  return ({ leaseId, outcome }, before, { gameId, address, status, label }) =>
    log.debug(
      { game_id: gameId, server: address, lease_id: leaseId, outcome, from: before.status, status, label },
      'recorded',
    );
}
